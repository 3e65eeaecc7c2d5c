package runreport

import (
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Outcomes of a corrective action (RW-42).
const (
	Recurred = "recurred" // the issue was seen again
	Held     = "held"     // there was occasion, and it was not seen again until the run's end
	Untested = "untested" // the run ended without an occasion to see it again
	Running  = "open"     // it was not seen again so far; the run is not over
)

// ActionEscalate is the ladder's third step (RW-40).
const ActionEscalate runevents.CorrectionAction = "escalate"

// Remedies are the corrective actions about one run and what shows whether they
// helped (RW-42). It is plain data that survives JSON unchanged; its lists are
// bounded, and what is left out is counted.
type Remedies struct {
	Completed   bool       `json:"completed,omitempty"` // false while the run goes on
	Corrections []Remedy   `json:"corrections,omitempty"`
	Sightings   []Sighting `json:"sightings,omitempty"`
	LeftOut     int        `json:"left_out,omitempty"`
}

// Apply folds one event of DECISIONS that is about the run; most bounds each list.
func (s *Remedies) Apply(most int, ev events.Event) {
	if described, known := events.Lookup(ev.Type); known && described.RunEvent {
		if !Claimed(ev, described) {
			s.worked(ev)
			s.lifecycle(ev)
		}
		return
	}
	switch d := ev.Data.(type) {
	case *sessionevents.TurnEvaluated:
		s.worked(ev)
	case *sessionevents.Signal:
		s.seen(most, ev, d)
	case *runevents.CorrectionIssued:
		s.corrected(most, ev, Remedy{Layer: d.Layer, Issue: d.Issue, Step: d.Step, Action: d.Action})
	case *runevents.EscalationRaised:
		if s.corrects(d) { // the ladder's third step (RW-40)
			s.corrected(most, ev, Remedy{Layer: d.Layer, Issue: d.Issue, Step: 3, Action: ActionEscalate})
		}
	}
}

// Claimed reports a fact without the credential that its type needs: it is shown,
// and proves nothing (EV-10).
func Claimed(ev events.Event, described events.Descriptor) bool {
	return (described.Role == events.RoleOperator || described.Role == events.RoleInfra) && ev.Credential != described.Role
}

func (s *Remedies) lifecycle(ev events.Event) {
	switch ev.Data.(type) {
	case *runevents.RunStarted, *runevents.RunResumed: // it goes on: an end is taken back
		s.Completed = false
	case *runevents.RunCompleted:
		s.Completed = true
	}
}

// Remedy is a corrective action with what shows whether it helped.
type Remedy struct {
	Event   string                     `json:"event"`
	Time    time.Time                  `json:"time"`
	Layer   sessionevents.Layer        `json:"layer"`
	Issue   string                     `json:"issue"`
	Step    int                        `json:"step"`
	Action  runevents.CorrectionAction `json:"action"`
	Agent   string                     `json:"agent,omitempty"` // whose behaviour it is
	Session string                     `json:"session,omitempty"`
	Cause   string                     `json:"cause,omitempty"`    // the event it was seen in: no new occasion
	Again   []string                   `json:"again,omitempty"`    // the signals of the same issue since
	Tested  string                     `json:"occasion,omitempty"` // the first event that could have shown it again
}

// Sighting is where an issue was seen last.
type Sighting struct {
	Event   string              `json:"event"` // the signal
	Cause   string              `json:"cause,omitempty"`
	Layer   sessionevents.Layer `json:"layer"`
	Issue   string              `json:"issue"`
	Agent   string              `json:"agent,omitempty"`
	Session string              `json:"session,omitempty"`
}

// seen folds a shadow; those of sessions are in the sessions' reports. A
// suppressed one does not count as seen again (RW-8).
func (s *Remedies) seen(most int, ev events.Event, d *sessionevents.Signal) {
	if d.Layer == sessionevents.LayerSession || d.Layer == "" {
		return
	}
	for i := range s.Corrections {
		c := &s.Corrections[i]
		if d.Suppressed == "" && c.Issue == d.Subject && c.Layer == d.Layer && len(c.Again) < most {
			c.Again = append(c.Again, ev.ID)
		}
	}
	s.Sightings = slices.DeleteFunc(s.Sightings, func(known Sighting) bool { return known.Issue == d.Subject && known.Layer == d.Layer })
	s.Sightings = append(s.Sightings, Sighting{Event: ev.ID, Cause: ev.CausationID, Layer: d.Layer, Issue: d.Subject, Agent: d.AgentID, Session: d.Session})
	s.Sightings = s.Sightings[max(0, len(s.Sightings)-most):]
}

// corrects reports whether an escalation is a step of the ladder: one about an
// issue that was corrected before.
func (s *Remedies) corrects(d *runevents.EscalationRaised) bool {
	return !d.Reminder && slices.ContainsFunc(s.Corrections, func(c Remedy) bool { return c.Issue == d.Issue && c.Layer == d.Layer })
}

// corrected adds a corrective action of an issue.
func (s *Remedies) corrected(most int, ev events.Event, c Remedy) {
	if len(s.Corrections) >= most {
		s.LeftOut++
		return
	}
	c.Event, c.Time = ev.ID, ev.Time.UTC()
	for _, known := range s.Sightings {
		if known.Issue != c.Issue || known.Layer != c.Layer {
			continue
		}
		c.Agent, c.Session = known.Agent, known.Session
		if known.Event == ev.CausationID {
			c.Cause = known.Cause
		}
	}
	s.Corrections = append(s.Corrections, c)
}

// worked notes an event of the run as an occasion to see an issue again.
func (s *Remedies) worked(ev events.Event) {
	for i := range s.Corrections {
		if c := &s.Corrections[i]; c.Tested == "" && !c.seenIn(ev) && c.concerns(ev) {
			c.Tested = ev.ID
		}
	}
}

// seenIn reports whether an event is the one that showed the issue; a turn and
// what was seen in it have one cause.
func (c *Remedy) seenIn(ev events.Event) bool {
	return c.Cause != "" && (ev.ID == c.Cause || ev.CausationID == c.Cause)
}

// concerns reports whether an issue could have shown in an event: an archetype's
// in what that archetype or agent does, others in whatever work goes on.
func (c *Remedy) concerns(ev events.Event) bool {
	switch d := ev.Data.(type) {
	case *runevents.AgentCompleted:
		return c.Layer != sessionevents.LayerArchetype || c.by(d.Archetype) || c.by(d.AgentID)
	case *runevents.ReviewCompleted:
		return c.Layer != sessionevents.LayerArchetype || c.by(d.Reviewer)
	case *sessionevents.TurnEvaluated:
		return c.Layer != sessionevents.LayerArchetype || c.Session != "" && c.Session == d.Session
	case *runevents.CycleCompleted, *runevents.TaskCompleted, *runevents.PhaseCompleted, *runevents.ProposalPublished, *runevents.MergeCompleted:
		return c.Layer != sessionevents.LayerArchetype
	}
	return false
}

// by reports whether a name is the issue's archetype or its agent.
func (c *Remedy) by(name string) bool {
	archetype, _, _ := strings.Cut(c.Issue, "/")
	return name != "" && (strings.EqualFold(name, archetype) || name == c.Agent)
}

// Helped says whether the action helped, as far as is known.
func (s *Remedies) Helped(c *Remedy) string {
	switch {
	case len(c.Again) > 0:
		return Recurred
	case !s.Completed:
		return Running
	case c.Tested == "":
		return Untested
	}
	return Held
}
