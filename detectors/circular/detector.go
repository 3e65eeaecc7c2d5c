// Package circular finds questions that are raised, decided or planned again
// although nothing new has come up (C3).
package circular

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the C3 detector.
var Detector = &detect.Detector{
	ID: "C3", Name: "circular", Class: sessionevents.ClassC,
	Title: "Deciding the same question again and again",
	Doc:   doc, Rules: []string{"C3", "SW-5", "SW-13", "SW-20", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// NewState returns an empty memory of questions.
func (*instance) NewState() any { return &memory{} }

// Run processes the turn in order: what is news about a question, and what raises it.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	t := &turn{instance: d, Pass: p, memory: p.State.(*memory), said: d.read(p)}
	m := t.memory
	m.begin(p)
	var findings []detect.Finding
	list := d.deliberations(p, t.said)
	heard, asked, ahead := &news{t}, &questions{t}, &plans{t}
	news := -1 // as of the turn's plan; its calls bring news later
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if s.Kind == sessionevents.SegmentPlan && news < 0 {
			news = m.News
		}
		heard.note(s)
		for ; len(list) > 0 && list[0].segment == s.Index; list = list[1:] {
			if f := asked.raise(&list[0]); f != nil {
				findings = append(findings, *f)
			}
		}
	}
	findings = append(findings, (&causes{t}).find()...)
	if f := t.undone(); f != nil && len(findings) == 0 {
		findings = append(findings, *f)
	}
	heard.noteRun()
	if f := ahead.repeated(news); f != nil && len(findings) == 0 {
		findings = append(findings, *f)
	}
	m.bound(d.Remembered)
	return append(findings, ahead.withdrawn()...)
}

// turn is one turn being read.
type turn struct {
	*instance
	*detect.Pass
	memory *memory
	said   []sentence
}

// config is the section circular of the rule data, which explains each value.
type config struct {
	Similar       float64 `yaml:"similar" range:"0.01..1"`
	AskedWords    int     `yaml:"asked_words" range:"1..20"`
	RaisedWords   int     `yaml:"raised_words" range:"1..20"`
	QueueAt       int     `yaml:"queue_at" range:"1..100"`
	FireAt        int     `yaml:"fire_at" range:"1..100"`
	Remembered    int     `yaml:"remembered" range:"1..1000"`
	QuestionWords int     `yaml:"question_words" range:"3..100"`
	ChoicesKept   int     `yaml:"choices_kept" range:"2..100"`
	SubjectWords  int     `yaml:"subject_words" range:"3..15"`
	UndoneTurns   int     `yaml:"undone_turns" range:"1..100"`
	FindingsKept  int     `yaml:"findings_kept" range:"1..100"`
	ResultsKept   int     `yaml:"results_kept" range:"1..200"`
	Plan          struct {
		Words int     `yaml:"words" range:"1..10000"`
		Share float64 `yaml:"share" range:"0.01..1"`
	} `yaml:"plan"`
	Confidence struct {
		Flipped      float64 `yaml:"flipped" range:"0..1"`
		Returned     float64 `yaml:"returned" range:"0..1"`
		Reconsidered float64 `yaml:"reconsidered" range:"0..1"`
		Asked        float64 `yaml:"asked" range:"0..1"`
		Reversed     float64 `yaml:"reversed" range:"0..1"`
		Repeated     float64 `yaml:"repeated" range:"0..1"`
		Withdrawn    float64 `yaml:"withdrawn" range:"0..1"`
		Undone       float64 `yaml:"undone" range:"0..1"`
		Contradicted float64 `yaml:"contradicted" range:"0..1"`
	} `yaml:"confidence"`
	Marks         []string        `yaml:"marks"`
	Flags         []string        `yaml:"flags"`
	Reconsiders   *pattern.Regexp `yaml:"reconsiders" pattern:"fold,long"`
	Asks          *pattern.Regexp `yaml:"asks" pattern:"fold,long"`
	ToPerson      *pattern.Regexp `yaml:"to_person" pattern:"fold,long"`
	Closes        *pattern.Regexp `yaml:"closes" pattern:"fold,long"`
	Returns       *pattern.Regexp `yaml:"returns" pattern:"fold,long"`
	Rejects       *pattern.Regexp `yaml:"rejects" pattern:"fold,long"`
	RejectsInside *pattern.Regexp `yaml:"rejects_inside" pattern:"fold,long"`
	RejectsNamed  *pattern.Regexp `yaml:"rejects_named" pattern:"fold,long"`
	Proposes      *pattern.Regexp `yaml:"proposes" pattern:"fold,long"`
	Doubts        *pattern.Regexp `yaml:"doubts" pattern:"fold,long"`
	Tests         []string        `yaml:"tests"`
	Announces     *pattern.Regexp `yaml:"announces" pattern:"fold,long"`
	CauseMarks    []string        `yaml:"cause_marks"`
	Causes        *pattern.Regexp `yaml:"causes" pattern:"fold,long"`
	PointsBack    *pattern.Regexp `yaml:"points_back" pattern:"fold,long"`
	Drops         *pattern.Regexp `yaml:"drops" pattern:"fold,long"`
	Hedges        *pattern.Regexp `yaml:"hedges" pattern:"fold,long"`
	Deliberation  []string        `yaml:"deliberation"`
	General       []string        `yaml:"general"`
}

// instance is the detector with its data compiled.
type instance struct {
	config
	any                   *pattern.Regexp // a mark that every other pattern requires
	kinds                 *pattern.Set    // what a sentence does, by index
	causal                *pattern.Regexp // a mark of a cause
	deliberation, general map[string]bool // stems
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{}
	if err := set.Decode("circular", &d.config); err != nil {
		return nil, err
	}
	var err error
	from := pattern.For(set, "circular")
	for _, c := range []struct {
		key, text string
		into      **pattern.Regexp
	}{
		{"marks", pattern.Phrases(`\b`, d.Marks, `\b`), &d.any},
		{"cause_marks", pattern.Phrases(`\b`, d.CauseMarks, `\b`), &d.causal},
	} {
		if *c.into, err = from.RE2(c.key, c.text); err != nil {
			return nil, err
		}
	}
	patterns := make([]string, kindCount)
	patterns[reconsiders], patterns[toPerson] = d.Reconsiders.String(), d.ToPerson.String()
	patterns[returns], patterns[asks], patterns[closes] = d.Returns.String(), d.Asks.String(), d.Closes.String()
	if d.kinds, err = from.Set("reconsiders", patterns); err != nil {
		return nil, err
	}
	d.deliberation, d.general = prose.Stems(d.Deliberation), prose.Stems(d.General)
	return d, nil
}

// Judge reports a signal as corrected once a turn settles its question or does not raise
// it again, and as committed if a turn raises it again (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	m := p.State.(*memory)
	switch s.Subclass {
	case contradictedCause:
		return d.judgeCause(m, p, s)
	case undoneWork:
		if d.ran(p) {
			return sessionevents.OutcomeCorrected, "run"
		}
		return sessionevents.OutcomeOpen, "not run yet"
	}
	at := slices.IndexFunc(m.Questions, func(q question) bool { return q.Text == s.Subject })
	if at < 0 {
		return sessionevents.OutcomeCorrected, "not raised again"
	}
	q := &m.Questions[at]
	for _, x := range d.deliberations(p, d.read(p)) {
		switch {
		case x.kind == decided && d.decides(q, d.choice(x.decision)):
			if chosen := d.choice(x.decision).chosen; len(q.Choices) == 0 || slices.Equal(q.Choices[len(q.Choices)-1], chosen) {
				return sessionevents.OutcomeCorrected, "settled"
			}
			return sessionevents.OutcomeCommitted, "decided otherwise once more"
		case x.kind == closed && jaccard(q.Terms, x.terms) >= d.Similar:
			return sessionevents.OutcomeCorrected, "declared closed"
		case x.kind != decided && x.kind != closed && d.about(q, &x):
			return sessionevents.OutcomeCommitted, "raised once more"
		}
	}
	return sessionevents.OutcomeCorrected, "not raised again"
}

// judgeCause reports a contradicted cause as corrected once it is tested or withdrawn,
// and as committed if an edit builds on it.
func (d *instance) judgeCause(m *memory, p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	at := slices.IndexFunc(m.Findings, func(f cause) bool { return f.Text == s.Subject })
	switch {
	case at < 0 || m.Findings[at].Dropped > 0:
		return sessionevents.OutcomeCorrected, "taken back"
	case d.ran(p):
		return sessionevents.OutcomeCorrected, "tested"
	case len(p.Additions.Diffs) > 0:
		return sessionevents.OutcomeCommitted, "an edit builds on it"
	}
	return sessionevents.OutcomeOpen, "not tested yet"
}

// ran reports whether the turn tests, builds or runs something.
func (d *instance) ran(p *detect.Pass) bool {
	return slices.ContainsFunc(p.Turn.Segments, func(s sessionevents.Segment) bool {
		return s.Tool != nil && slices.ContainsFunc(s.Tool.Effects, d.tests)
	})
}

// news is what a turn brings that questions and causes did not know.
type news struct{ *turn }

// note records what is new in a segment: an error, a test result or a person's message
// that names a question's terms, or the first read of a file that a question names.
func (n *news) note(s *sessionevents.Segment) {
	switch {
	case s.Kind == sessionevents.SegmentUser:
		n.memory.News = n.Turn.Turn
		n.heard(s.Text)
	case s.Kind == sessionevents.SegmentError, s.Tool != nil && slices.ContainsFunc(s.Tool.Effects, n.tests):
		n.memory.News = n.Turn.Turn
		n.showed(s)
	case s.Tool != nil:
		n.found(s)
	}
	for _, a := range s.Accesses {
		if a.Kind == sessionevents.AccessRead && !s.Rejected && len(n.Before.Reads(a.Target)) == 0 {
			n.memory.News = n.Turn.Turn
			file := prose.Terms(base(a.Target))
			n.memory.inform(func(q *question) bool { return subset(file, q.Terms) })
		}
	}
}

func (d *instance) tests(effect string) bool { return slices.Contains(d.Tests, effect) }

// heard records a person's message: its terms, its answer to the previous turn's question, its
// doubts.
func (n *news) heard(text string) {
	if len(n.memory.Questions) == 0 {
		return
	}
	lower := strings.ToLower(text)
	all := n.Doubts.MatchString(text)
	answer := len(prose.Terms(text)) > 0
	n.memory.inform(func(q *question) bool {
		return all || answer && q.Last >= n.Turn.Turn-1 || n.names(lower, q)
	})
}

// showed records an error or a test result.
func (n *news) showed(s *sessionevents.Segment) {
	if len(n.memory.Questions) == 0 && len(n.memory.Findings) == 0 {
		return
	}
	text := s.Text
	if s.Error != nil {
		text += "\n" + s.Error.Signature
	}
	if s.Result != nil {
		text += "\n" + s.Result.Head + "\n" + s.Result.Tail
	}
	if s.Tool != nil {
		text += "\n" + s.Tool.Command
	}
	lower := strings.ToLower(text)
	n.memory.inform(func(q *question) bool { return n.names(lower, q) })
	n.memory.informFindings(func(f *cause) bool { return n.shares(lower, f.Terms, f.Names) })
}

// names reports whether a text in lower case contains one of a question's words.
func (d *instance) names(lower string, q *question) bool {
	return !q.Informed && slices.ContainsFunc(q.Terms, func(w string) bool {
		return !d.general[w] && strings.Contains(lower, w)
	})
}

// base returns a file's name without its extension.
func base(target string) string {
	name := target[strings.LastIndexByte(target, '/')+1:]
	if at := strings.IndexByte(name, '.'); at > 0 {
		name = name[:at]
	}
	return name
}
