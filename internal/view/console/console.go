// Package console holds the views of the page: who needs a person, what the agents do, a session turn
// by turn, a run with its agents side by side, the fleet, and what was prevented (CO-10 to CO-15).
// Each thing that waits names the command that answers it; with a key the page has the answers as
// buttons (ADR 38). The views are folds of what was decided (ADR 44).
package console

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	prevention "github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Model is what the first view shows.
type Model struct {
	Place
	Waiting   []runlist.Run         // that need a person, or have a gate that refused
	Words     []readmodel.Interrupt // that no person has answered
	Prevented []readmodel.Prevented
	Sessions  []readmodel.Session
	Total     int // sessions in all
	Runs      int // runs in all
}

// Acts are what a person can do on the page.
const (
	ActAck        = "ack"        // a word to an agent, Target its id
	ActDismiss    = "dismiss"    // the same, with a reason
	ActEscalation = "escalation" // acknowledge the escalation Target of run Of
	ActAnswer     = "answer"     // the question Target of run Of, with Option
	ActResume     = "resume"     // Of, a run or session, with a reason
)

// button is one answer; Back is the view that shows it.
type button struct {
	Key, Act, Of, Target, Option, Label, Back string
	Asks                                      bool // it takes a reason, which a page of its own asks for
}

// need is one thing that waits for a person.
type need struct {
	Name, Link, What, Text, Age, Command string
	Answers                              []button
	since                                time.Time
}

// prevented is one answer of the guard.
type prevented struct{ Name, Link, What, Tone, Text, Age, Command, Back string }

// Render writes the view of what needs a person.
func Render(w io.Writer, m Model) error {
	called := namesOf(m.Sessions, m.Words, m.Prevented)
	waits := m.needs(m.Waiting, "/")
	heading := "Nobody waits for you."
	if len(waits) > 0 {
		heading = page.Plural(len(waits), "thing waits", "things wait") + " for you."
	}
	view := struct {
		Heading, Sum string
		Needs, Words []need
		Prevented    []prevented
		AllPrevented string
		Sessions     []row
		More         int
		Live         string
	}{
		heading, sum(m), waits, m.words(m.Words, called, "/"), m.stopped(m.Prevented, called), m.link("/prevented"),
		m.rows(m.Sessions), max(m.Total-len(m.Sessions), 0), m.link("/live"),
	}
	return m.render(w, shell{view: viewNeeds, news: newsOf(""), every: refreshEvery}, "needs.gohtml", view)
}

// newsOf is the address of the ticks about a session or run; "" is about all.
func newsOf(id string) string {
	if id == "" {
		return "/console/events"
	}
	return (&Place{}).link("/console/events", "of", id)
}

// PreventedModel is what the view of prevented calls shows.
type PreventedModel struct {
	Place
	Prevented []readmodel.Prevented
	Sessions  []readmodel.Session // theirs, as far as they are known
}

// RenderPrevented writes the view of what was prevented (CO-11a).
func RenderPrevented(w io.Writer, m PreventedModel) error {
	heading := "Nothing had to be prevented."
	if n := len(m.Prevented); n > 0 {
		heading = page.Plural(n, "call was", "calls were") + " prevented or secured."
	}
	view := struct {
		Heading   string
		Prevented []prevented
	}{heading, m.stopped(m.Prevented, namesOf(m.Sessions, nil, m.Prevented))}
	return m.render(
		w, shell{view: viewPrevented, title: viewPrevented, news: newsOf(""), every: refreshEvery}, "prevented.gohtml",
		view,
	)
}

// Answer is what a person decides: one of the acts with what it is about. Back is the view to go back to.
type Answer struct{ Act, Of, Target, Option, Why, Back string }

// Question is what is asked before an answer that takes a reason.
type Question struct {
	Place
	Answer
	Problem string // with the last try
}

// asked are the words of a question, by its act.
var asked = map[string]struct{ title, text, ask, label string }{
	ActResume:  {"Let it go on", "It is halted. It goes on when you say why.", "What has changed, for the record?", "Resume"},
	ActDismiss: {"A false alarm", "The agent's budget gets back what the word cost, and the rate of false alarms of its detector goes up.", "Why was it wrong, for the record?", "Dismiss"},
}

// Asks reports whether an act takes a reason.
func Asks(act string) bool { _, asks := asked[act]; return asks }

// Home is the address of the view to go back to, which is one of ours whatever the form said.
func (q *Question) Home() string {
	if path := q.Back; strings.HasPrefix(path, "/sessions/") || strings.HasPrefix(path, "/runs/") {
		return q.link(path)
	}
	return q.link("/")
}

// RenderQuestion writes the page that asks for a reason.
func RenderQuestion(w io.Writer, q Question) error {
	words := asked[q.Act]
	view := struct {
		Question
		Title, Text, Ask, Label, Return string
	}{q, words.title, words.text, words.ask, words.label, q.Home()}
	return q.render(w, shell{view: viewNeeds, title: words.title}, "answer.gohtml", view)
}

func sum(m Model) string {
	open := 0
	for i := range m.Sessions {
		if !m.Sessions[i].Closed {
			open++
		}
	}
	parts := []string{page.Plural(m.Total, "session", "sessions")}
	if open > 0 {
		parts = append(parts, fmt.Sprintf("%d of the latest open", open))
	}
	if m.Runs > 0 {
		parts = append(parts, page.Plural(m.Runs, "run", "runs"))
	}
	return strings.Join(parts, ", ")
}

// needLimit is how many characters of what waits a card shows; the view of the run has more.
const needLimit = 600

// needs lists what waits for a person in runs, what has waited longest first.
func (p *Place) needs(waiting []runlist.Run, back string) []need {
	var all []need
	for i := range waiting {
		one := &waiting[i]
		add := func(what, text, command string, since time.Time, answers ...button) {
			all = append(all, need{
				Name: page.Plain(named(one)), Link: p.run(one.ID),
				What: what, Text: cutLine(text, needLimit), Age: age(p.Now.Sub(since)), Command: page.Plain(command), since: since,
				Answers: p.buttons(back, answers...),
			})
		}
		if one.Break != nil {
			var answers []button
			if one.Break.Trigger != runevents.TriggerIsolationFailure { // which is recovered from, not resumed
				answers = []button{{Act: ActResume, Of: one.ID, Label: "Resume…", Asks: true}}
			}
			add("halted", one.Break.Reason, runlist.WayOut(one.ID, one.Break.Trigger), one.Break.At, answers...)
		}
		for _, q := range one.Questions {
			var answers []button
			for _, o := range q.Options {
				answers = append(
					answers,
					button{Act: ActAnswer, Of: one.ID, Target: q.RequestID, Option: o.ID, Label: page.Plain(o.ID + ": " + o.Text)},
				)
			}
			add("asks", q.Question, fmt.Sprintf("scaffoldwatch answer %s %s OPTION", one.ID, q.RequestID), q.At, answers...)
		}
		for _, g := range one.Refused {
			add("gate "+string(g.Gate)+": "+decided(g.Decision), g.Why, "scaffoldwatch runs "+one.ID, g.At)
		}
		for _, e := range one.Escalations {
			if one.Break == nil || e.Break != one.Break.ID { // else it reports that break
				add(
					"needs a look", e.Text, "scaffoldwatch ack "+e.ID, e.At,
					button{Act: ActEscalation, Of: one.ID, Target: e.ID, Label: "Seen"},
				)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b need) int { return a.since.Compare(b.since) })
	return all
}

// decided is an answer of a gate in words.
func decided(d runevents.GateDecision) string {
	switch d {
	case runevents.DecisionAllow:
		return "allowed"
	case runevents.DecisionAllowWithWarning:
		return "allowed with a warning"
	case runevents.DecisionDeny:
		return "denied"
	case runevents.DecisionHold:
		return "held"
	}
	return page.Plain(string(d))
}

// buttons are answers with the key; none without it.
func (p *Place) buttons(back string, list ...button) []button {
	if p.Key == "" {
		return nil
	}
	for i := range list {
		list[i].Key, list[i].Back = p.Key, back
	}
	return list
}

// words lists what agents were told and no person has answered.
func (p *Place) words(told []readmodel.Interrupt, called map[string]string, back string) (list []need) {
	for _, w := range told {
		what := w.Detector
		if w.Heed != "" {
			what += ", " + w.Heed
		}
		one := need{
			Name: called[w.Session], Link: p.session(w.Session) + turnAnchor(w.Turn), What: page.Plain(what), Text: cutLine(w.Message, needLimit), Age: age(p.Now.Sub(w.At)),
			Answers: p.verdicts(w.ID, back),
		}
		if p.Key == "" {
			one.Command = "scaffoldwatch dismiss " + page.Plain(w.ID[:min(len(w.ID), shownID)]) + " --why '…'"
		}
		list = append(list, one)
	}
	return list
}

// verdicts are a person's answers to a word to an agent.
func (p *Place) verdicts(id, back string) []button {
	return p.buttons(
		back, button{Act: ActAck, Target: id, Label: "Right"},
		button{Act: ActDismiss, Target: id, Label: "False alarm…", Asks: true},
	)
}

// shownID is how much of an id a command needs.
const shownID = 6

// stopped lists what the guard answered.
func (p *Place) stopped(answers []readmodel.Prevented, called map[string]string) (list []prevented) {
	for _, a := range answers {
		one := prevented{
			Name: called[a.Session], Link: p.session(a.Session) + turnAnchor(a.Turn), What: page.Plain(outcome(a.Outcome)), Tone: outcomeTone(a.Outcome),
			Text: page.Plain(a.What), Age: age(p.Now.Sub(a.At)), Command: page.Plain(a.Command),
		}
		if a.RescueRef != "" {
			one.Back = page.Plain((&prevention.Call{RescueRef: a.RescueRef}).Next())
		}
		list = append(list, one)
	}
	return list
}

// outcome is what the guard did, in words.
func outcome(o sessionevents.GuardOutcome) string {
	switch o {
	case sessionevents.GuardKept:
		return "kept first"
	case sessionevents.GuardWarned:
		return "warned of"
	case sessionevents.GuardAllowed:
		return "allowed once"
	}
	return string(o)
}

func outcomeTone(o sessionevents.GuardOutcome) string {
	if o == sessionevents.GuardDenied {
		return toneAlarm
	}
	return ""
}

// Tones are the colours of a word about a state.
const (
	toneAlarm = "alarm"
	toneCare  = "care"
	toneGood  = "good"
)

// namesOf names sessions in a sentence: by project and task where they are known, else by their
// short id.
func namesOf(
	sessions []readmodel.Session, words []readmodel.Interrupt, stopped []readmodel.Prevented,
) map[string]string {
	ids := make([]string, 0, len(sessions)+len(words)+len(stopped))
	titles := map[string]string{}
	for i := range sessions {
		s := &sessions[i]
		ids = append(ids, s.Session)
		titles[s.Session] = naming.Title(s.Workspace, s.Task)
	}
	for _, w := range words {
		ids = append(ids, w.Session)
	}
	for i := range stopped {
		ids = append(ids, stopped[i].Session)
	}
	called := naming.Short(ids)
	for id, short := range called {
		if titles[id] != "" {
			short = titles[id] + " · " + short
		}
		called[id] = page.Plain(short)
	}
	return called
}

func named(r *runlist.Run) string {
	if title := naming.Title(r.Of(), r.Goal); title != "" {
		return title
	}
	return r.ID
}
