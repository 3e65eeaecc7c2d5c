// Package advised measures what a second opinion is worth (AD-8): it writes the questions that an advisor
// would ask about real sessions as files, reads answers from files, whoever gave them, and compares what
// is said with and without them. Nothing here calls a model.
package advised

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/measure"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/moments"
)

// Variable names the folder with questions/ and answers/.
const Variable = "SCAFFOLDWATCH_ADVISOR_ANSWERS"

// answers are the files of a folder by the id of their question.
type answers struct{ folder string }

// of returns the answer to a question.
func (a answers) of(q *opinion.Question) (string, bool, error) {
	if a.folder == "" {
		return "", false, nil
	}
	data, err := os.ReadFile(filepath.Join(a.folder, q.ID()+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read an answer: %w", err)
	}
	return string(data), true, nil
}

// played is what became of all transcripts.
type played struct {
	recorder *moments.Recorder
	asked    []*opinion.Question
	apart    []apart                                   // questions about signals that nobody would ask about
	opinions map[string]*sessionevents.OpinionRecorded // by question
	leads    map[string]string                         // question about an interrupt, by place
	late     map[string]bool                           // questions about what was said before anybody could answer
	sessions map[string]bool
	weak     map[string]bool // sessions of a weak model
	long     map[string]bool // long ones, in which people often objected
}

// apart is a question that is asked to measure answers alone, after some of the others.
type apart struct {
	after int
	*opinion.Question
}

// both returns all questions in the order of the sessions.
func (p *played) both() []*opinion.Question {
	var out []*opinion.Question
	from := 0
	for _, a := range p.apart {
		out = append(append(out, p.asked[from:a.after]...), a.Question)
		from = a.after
	}
	return append(out, p.asked[from:]...)
}

// place names an interrupt: one fires in a turn (DP-13).
func place(session string, turn int) string { return fmt.Sprintf("%s %d", session, turn) }

// play feeds all transcripts through the machines; answers come in as soon as their question is asked.
func play(core *machines.Core, config *opinion.Config, data string, given answers) (*played, error) {
	paths, err := measure.Transcripts(data)
	if err != nil {
		return nil, err
	}
	p := &played{
		recorder: moments.NewRecorder(), opinions: map[string]*sessionevents.OpinionRecorded{}, leads: map[string]string{},
		late: map[string]bool{}, sessions: map[string]bool{}, weak: map[string]bool{}, long: map[string]bool{},
	}
	for _, path := range paths {
		input, err := measure.ReadEvents(path)
		if err != nil {
			return nil, err
		}
		one := newPlayer(p, core, config, given)
		one.ofWeak, one.ofLong = measure.OfWeakModel(path), measure.OfLongSession(path)
		for _, e := range input {
			if e, err = publish.Prepare(e); err == nil {
				err = one.feed(e)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
			}
		}
	}
	return p, nil
}

// player plays one transcript.
type player struct {
	*played
	config *opinion.Config
	given  answers
	chain  *memory.Chain
	asker  *opinion.Asker
	about  map[string]string // question by signal
	groups map[string]string // of sessions
	ofWeak bool              // the transcript is of a weak model
	ofLong bool              // … or a long one
}

func newPlayer(p *played, core *machines.Core, config *opinion.Config, given answers) *player {
	one := &player{played: p, config: config, given: given, chain: core.Chain(), asker: opinion.NewAsker(config), about: map[string]string{}, groups: map[string]string{}}
	one.chain.Folded = func(stage string, _ events.Event, derived []events.Event, _ string) {
		if stage != core.Ingest.Stage() {
			return
		}
		for _, e := range derived {
			one.asker.Said(e)
		}
	}
	return one
}

// feed folds an event, asks what is due, and feeds the answers.
func (p *player) feed(e events.Event) error {
	list := p.chain.Feed(e)
	due := p.decided(list)
	defer p.setApart(list)
	for len(due) > 0 {
		var next []*opinion.Question
		for _, q := range due {
			p.asked = append(p.asked, q)
			if q.Signal != "" {
				p.about[q.Signal] = q.ID()
			}
			answer, answered, err := p.given.of(q)
			if err != nil {
				return err
			}
			if answered {
				next = append(next, p.decided(p.chain.Feed(p.answered(q, answer, e)))...)
			}
		}
		due = next
	}
	return nil
}

// decided records what was decided and returns the questions that are due. What is said too early to ask
// about gets a question too, only for the measurement.
func (p *player) decided(list []events.Event) (due []*opinion.Question) {
	var said []*sessionevents.InterruptFired
	for _, e := range list {
		p.recorder.Take(e)
		switch d := e.Data.(type) {
		case *sessionevents.TurnEvaluated:
			p.groups[d.Session] = e.Group()
			p.sessions[d.Session] = true
			p.weak[d.Session], p.long[d.Session] = p.ofWeak, p.ofLong
		case *sessionevents.Signal:
			if d.Confirms != "" {
				p.about[d.ID] = p.about[d.Confirms]
			}
		case *sessionevents.InterruptFired:
			said = append(said, d)
		}
		due = append(due, p.asker.Decided(e)...)
	}
	due = append(due, p.asker.Settled()...)
	for _, i := range said {
		id := p.about[i.Signals[0]]
		if id == "" {
			q := p.asker.About(i.Session, i.Signals[0])
			if q == nil {
				continue
			}
			id = q.ID()
			p.late[id] = true
			due = append(due, q)
		}
		p.leads[place(i.Session, i.Turn)] = id
	}
	return due
}

// setApart builds a question about each signal that ended without one.
func (p *player) setApart(list []events.Event) {
	for _, e := range list {
		if d, is := e.Data.(*sessionevents.Disposition); is && p.about[d.Signal] == "" {
			if q := p.asker.About(d.Session, d.Signal); q != nil {
				p.apart = append(p.apart, apart{len(p.asked), q})
			}
		}
	}
}

// answered returns the event of an answer.
func (p *player) answered(q *opinion.Question, answer string, cause events.Event) events.Event {
	o := p.config.Answer(q, modelText(answer))
	o.Model, o.Provider = "answers", "file"
	o.Tokens = sessionevents.OpinionTokens{In: tokens(len(q.Prompt.System) + len(q.User())), Out: tokens(len(answer))}
	p.opinions[q.ID()] = o
	return events.Event{
		ID: events.DerivedID("advisor", q.Session, q.ID(), 0), Source: "/scaffoldwatch/advisor", Type: sessionevents.TypeOpinionRecorded,
		Subject: q.Session, Time: cause.Time, PartitionKey: p.groups[q.Session], Data: o,
	}
}

// modelText returns the answer itself where a file holds {"answer": …}.
func modelText(file string) string {
	var wrapped struct {
		Answer json.RawMessage `json:"answer"`
	}
	if json.Unmarshal([]byte(file), &wrapped) != nil || wrapped.Answer == nil {
		return file
	}
	var text string
	if json.Unmarshal(wrapped.Answer, &text) == nil {
		return text
	}
	return string(wrapped.Answer)
}
