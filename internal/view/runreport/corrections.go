package runreport

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Correction is a corrective action and whether it helped (RW-42).
type Correction struct {
	Event   string                     `json:"event"`
	Time    time.Time                  `json:"time"`
	Layer   sessionevents.Layer        `json:"layer"`
	Issue   string                     `json:"issue"`
	Step    int                        `json:"step"`
	Action  runevents.CorrectionAction `json:"action"` // correct, replace, pause, stop; escalate: a person was asked
	Text    string                     `json:"text"`
	Target  string                     `json:"target,omitempty"`
	Outcome string                     `json:"outcome"`
	Again   []string                   `json:"again"`              // the signals of the same issue since
	Tested  string                     `json:"occasion,omitempty"` // the first event that could have shown it again
}

// Effectiveness sums up one action over all issues (RW-42).
type Effectiveness struct {
	Action   runevents.CorrectionAction `json:"action"`
	Issued   int                        `json:"issued"`
	Recurred int                        `json:"recurred"`
	Held     int                        `json:"held"`
	Untested int                        `json:"untested"`
	Open     int                        `json:"open"`
}

// Share returns the share of judged actions that held; ok is false if none was judged.
func (e Effectiveness) Share() (share float64, ok bool) {
	judged := e.Held + e.Recurred
	if judged == 0 {
		return 0, false
	}
	return float64(e.Held) / float64(judged), true
}

// saying is what a corrective action says, and to whom.
type saying struct{ text, target string }

func (f decided) corrected(ev events.Event, d *runevents.CorrectionIssued) {
	f.ran = true
	f.moment(ev, "correction ("+string(d.Action)+"): "+quote.Path(d.Issue), d.Text)
	f.say(d.Text, target(d.Target))
}

func target(to runevents.Recipient) string {
	if to.ID == "" {
		return string(to.Kind)
	}
	return string(to.Kind) + " " + to.ID
}

// say keeps the words of the corrective action that the event took, if it took one.
func (f decided) say(text, target string) {
	if len(f.remedies.Corrections) > len(f.said) {
		f.said = append(f.said, saying{f.settings.short(text), target})
	}
}

// corrections returns the corrective actions with their outcome so far.
func (f decided) corrections() []Correction {
	out := []Correction{}
	for i, said := range f.said {
		c := f.remedies.Corrections[i]
		out = append(out, Correction{
			Event: c.Event, Time: c.Time, Layer: c.Layer, Issue: c.Issue, Step: c.Step, Action: c.Action, Text: said.text, Target: said.target,
			Outcome: f.remedies.Helped(&c), Again: append([]string{}, c.Again...), Tested: c.Tested,
		})
	}
	return out
}

// effectiveness sums up, the actions in the order of the ladder.
func effectiveness(list []Correction) []Effectiveness {
	out := []Effectiveness{}
	for _, action := range []runevents.CorrectionAction{runevents.CorrectionCorrect, runevents.CorrectionReplace, runevents.CorrectionPause, runevents.CorrectionStop, ActionEscalate} {
		e := Effectiveness{Action: action}
		for _, c := range list {
			if c.Action == action {
				e.count(c.Outcome)
			}
		}
		if e.Issued > 0 {
			out = append(out, e)
		}
	}
	return out
}

func (e *Effectiveness) count(outcome string) {
	e.Issued++
	switch outcome {
	case Recurred:
		e.Recurred++
	case Held:
		e.Held++
	case Untested:
		e.Untested++
	default:
		e.Open++
	}
}
