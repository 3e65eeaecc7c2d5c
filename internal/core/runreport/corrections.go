package runreport

import (
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Outcomes of a corrective action (RW-42).
const (
	Recurred = "recurred" // the issue came again
	Held     = "held"     // there was occasion, and it did not come again until the run's end
	Untested = "untested" // the run ended without an occasion to see it again
	Running  = "open"     // it has not come again; the run goes on
)

// Correction is a corrective action and whether it helped (RW-42).
type Correction struct {
	Event   string       `json:"event"`
	Time    time.Time    `json:"time"`
	Layer   events.Layer `json:"layer"`
	Issue   string       `json:"issue"`
	Step    int          `json:"step"`
	Action  string       `json:"action"` // correct, replace, pause, stop; escalate: a person was asked
	Text    string       `json:"text"`
	Target  string       `json:"target,omitempty"`
	Outcome string       `json:"outcome"`
	Again   []string     `json:"again"`              // the signals of the same issue since
	Tested  string       `json:"occasion,omitempty"` // the first event that could have shown it again
}

// Effectiveness sums up one action over all issues (RW-42).
type Effectiveness struct {
	Action   string `json:"action"`
	Issued   int    `json:"issued"`
	Recurred int    `json:"recurred"`
	Held     int    `json:"held"`
	Untested int    `json:"untested"`
	Open     int    `json:"open"`
}

// Share is the part of judged actions that held; ok is false when none was judged.
func (e Effectiveness) Share() (share float64, ok bool) {
	judged := e.Held + e.Recurred
	if judged == 0 {
		return 0, false
	}
	return float64(e.Held) / float64(judged), true
}

// correction is one with what tells whether it was tested.
type correction struct {
	Correction
	agent   string // whose behaviour it is
	session string
	cause   string // the event it was seen in: no new occasion
}

// actionEscalate is the ladder's third step (RW-40).
const actionEscalate = "escalate"

func (f *Fold) corrected(ev events.Event, d *events.CorrectionIssued) {
	f.ran = true
	f.moment(ev, "correction ("+d.Action+"): "+d.Issue, d.Text)
	f.act(ev, Correction{Layer: d.Layer, Issue: d.Issue, Step: d.Step, Action: d.Action, Text: d.Text, Target: target(d.Target)})
}

func target(to events.Recipient) string {
	if to.ID == "" {
		return to.Kind
	}
	return to.Kind + " " + to.ID
}

// act adds a corrective action of an issue.
func (f *Fold) act(ev events.Event, c Correction) {
	if !f.room(len(f.corrections)) {
		return
	}
	c.Event, c.Time, c.Text, c.Again = ev.ID, ev.Time.UTC(), f.settings.short(c.Text), []string{}
	one := &correction{Correction: c, cause: f.causes[ev.CausationID]}
	for _, s := range slices.Backward(f.shadows) {
		if s.Issue == c.Issue && s.Layer == c.Layer {
			one.agent, one.session = s.AgentID, s.Session
			break
		}
	}
	f.corrections = append(f.corrections, one)
}

// again notes a shadow on the actions that were to end it.
func (f *Fold) again(ev events.Event, d *events.Signal) {
	for _, c := range f.corrections {
		if c.Issue == d.Subject && c.Layer == d.Layer && len(c.Again) < f.settings.Limits.Entries {
			c.Again = append(c.Again, ev.ID)
		}
	}
}

// worked notes an event of the run as an occasion to see an issue again.
func (f *Fold) worked(ev events.Event) {
	for _, c := range f.corrections {
		if c.Tested == "" && !c.seenIn(ev) && c.concerns(ev) {
			c.Tested = ev.ID
		}
	}
}

// seenIn reports whether an event is the one that showed the issue; a turn and
// what was seen in it have one cause.
func (c *correction) seenIn(ev events.Event) bool {
	return c.cause != "" && (ev.ID == c.cause || ev.CausationID == c.cause)
}

// concerns reports whether an issue could have shown in an event: an archetype's
// in what that archetype or agent does, others in whatever work goes on.
func (c *correction) concerns(ev events.Event) bool {
	switch d := ev.Data.(type) {
	case *events.AgentCompleted:
		return c.Layer != events.LayerArchetype || c.by(d.Archetype) || c.by(d.AgentID)
	case *events.ReviewCompleted:
		return c.Layer != events.LayerArchetype || c.by(d.Reviewer)
	case *events.TurnEvaluated:
		return c.Layer != events.LayerArchetype || c.session != "" && c.session == d.Session
	case *events.CycleCompleted, *events.TaskCompleted, *events.PhaseCompleted, *events.ProposalPublished, *events.MergeCompleted:
		return c.Layer != events.LayerArchetype
	}
	return false
}

// by reports whether a name is the issue's archetype or its agent.
func (c *correction) by(name string) bool {
	archetype, _, _ := strings.Cut(c.Issue, "/")
	return name != "" && (strings.EqualFold(name, archetype) || name == c.agent)
}

// outcome says whether the action helped, as far as is known.
func (f *Fold) outcome(c *correction) string {
	switch {
	case len(c.Again) > 0:
		return Recurred
	case f.completed == "":
		return Running
	case c.Tested == "":
		return Untested
	}
	return Held
}

// effectiveness sums up, the actions in the order of the ladder.
func effectiveness(list []Correction) []Effectiveness {
	out := []Effectiveness{}
	for _, action := range []string{"correct", "replace", "pause", "stop", actionEscalate} {
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
