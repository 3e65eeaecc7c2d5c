// Package researchspiral finds consecutive turns of reading without an edit, test or
// command with an effect (D3).
package researchspiral

import (
	_ "embed"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the D3 detector.
var Detector = &detect.Detector{
	ID: "D3", Name: "researchspiral", Class: sessionevents.ClassD,
	Title: "Reading on and on without a change, a test or a hypothesis",
	Doc:   doc, Rules: []string{"D3", "SW-20", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// Figures of D3.
const (
	reworkCost  = 1
	selfCorrect = 0.5
	// queueFloor applies from the run's fourth turn on.
	queueFloor sessionevents.Urgency = 20
)

// NewState returns an empty memory of research turns.
func (*instance) NewState() any { return &memory{} }

// Run counts consecutive research turns and weighs their purpose.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	m := p.State.(*memory)
	m.begin(p)
	if acts := acts(p); acts || !p.Additions.Research || d.idle(p) {
		if acts {
			m.act(p)
		} else {
			d.noteIntent(m, p)
			m.Run.pause(d.GapTurns)
			m.follows(p, d)
		}
		for i := range p.Turn.Segments {
			d.learn(m, &p.Turn.Segments[i])
		}
		return nil
	}
	d.noteIntent(m, p)
	m.Run.extend(p.Turn.Turn, m.Failed)
	calls := d.follow(m, p)
	why, ok := d.purpose(m, p)
	if !ok || !d.due(m, why) {
		return nil
	}
	m.Run.Reported = m.Run.Reported || why == "" && m.Run.Turns >= d.QueueAt
	return []detect.Finding{d.finding(m, p, calls, why)}
}

// due reports whether to report a run in this turn: at its marks, at the later ones
// whatever excused it before, and when its excuse has lapsed.
func (d *instance) due(m *memory, why string) bool {
	turns := m.Run.Turns
	switch {
	case turns <= d.QueueAt:
		return d.reports(turns)
	case d.reports(turns):
		return true
	}
	return why == "" && m.Lapsed && !m.Run.Reported
}

// reports reports whether a run of this many turns is reported.
func (d *instance) reports(turns int) bool {
	if turns == d.LogAt || turns == d.QueueAt {
		return true
	}
	for _, n := range d.AgainAt {
		if turns == n {
			return true
		}
	}
	return false
}

// config is the section researchspiral of the rule data, which explains each value.
type config struct {
	LogAt       int     `yaml:"log_at" range:"2..100"`
	QueueAt     int     `yaml:"queue_at" range:"2..100"`
	AgainAt     []int   `yaml:"again_at" range:"2..1000"`
	GapTurns    int     `yaml:"gap_turns" range:"0..100"`
	FocusShare  float64 `yaml:"focus_share" range:"0..1"`
	SameWords   float64 `yaml:"same_words" range:"0.01..1"`
	ErrorTurns  int     `yaml:"error_turns" range:"0..1000"`
	IntentTurns int     `yaml:"intent_turns" range:"0..1000"`
	RemarkWords int     `yaml:"remark_words" range:"0..1000"`
	SameCause   float64 `yaml:"same_cause" range:"0.01..1"`
	CausesKept  int     `yaml:"causes_kept" range:"1..100"`
	Confidence  struct {
		Aimless float64 `yaml:"aimless" range:"0..1"`
		Focused float64 `yaml:"focused" range:"0..1"`
	} `yaml:"confidence"`
	Remembered     int             `yaml:"remembered" range:"1..1000"`
	References     int             `yaml:"references" range:"1..1000"`
	NamesInMessage int             `yaml:"names_in_message" range:"1..5"`
	General        []string        `yaml:"general"`
	Overviews      rules.Words     `yaml:"overviews"`
	Studies        *pattern.Regexp `yaml:"studies" pattern:"fold,long"`
	Explorers      *pattern.Regexp `yaml:"explorers" pattern:"fold,long"`
	Questions      *pattern.Regexp `yaml:"questions" pattern:"fold,long"`
	Builds         *pattern.Regexp `yaml:"builds" pattern:"fold,long"`
	Orders         *pattern.Regexp `yaml:"orders" pattern:"fold,long"`
	Reports        *pattern.Regexp `yaml:"reports" pattern:"fold,lines,long"`
	Causes         *pattern.Regexp `yaml:"causes" pattern:"fold,long"`
	Changes        *pattern.Regexp `yaml:"changes" pattern:"fold,long"`
	Names          *pattern.Regexp `yaml:"names" pattern:"long"`
	Unanswered     *pattern.Regexp `yaml:"unanswered" pattern:"fold,lines,long"`
	AnswerBytes    int             `yaml:"answer_bytes" range:"0..1000000"`
}

// instance is the detector with its data compiled.
type instance struct {
	config
	stated  *pattern.Regexp // either of the two
	general map[string]bool // stems
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{}
	if err := set.Decode("researchspiral", &d.config); err != nil {
		return nil, err
	}
	d.stated = pattern.MustRE2(d.Causes.String() + "|" + d.Changes.String())
	d.general = prose.Stems(d.General)
	return d, nil
}

// Judge reports a signal as corrected once an edit was made (SW-44); a test or another
// act leaves it open, since the change may still be missing.
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if m, ok := p.State.(*memory); ok && ended(m, s) {
		return sessionevents.OutcomeCorrected, "the reading is over"
	}
	at := slices.IndexFunc(p.Turn.Segments, func(s sessionevents.Segment) bool { return detect.Applied(&s) })
	switch {
	case at >= 0 && len(p.Before.Reads(p.Turn.Segments[at].Path)) > 0:
		return sessionevents.OutcomeCorrected, "an edit of what was read"
	case at >= 0:
		return sessionevents.OutcomeCorrected, "an edit"
	case p.Additions.Effect:
		return sessionevents.OutcomeOpen, "an act, no edit yet"
	case p.Additions.Research:
		return sessionevents.OutcomeOpen, "still reading"
	}
	return sessionevents.OutcomeOpen, ""
}

// ended reports whether the run of a signal was over before this turn, through a test, a
// command with an effect or another request.
func ended(m *memory, s *sessionevents.Signal) bool {
	return m.Run.From == 0 || s.Subject != subjectOf(&m.Run, false) && s.Subject != subjectOf(&m.Run, true)
}
