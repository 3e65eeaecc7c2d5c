package aftermath

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
	Recurred = "recurred" // the issue came again
	Held     = "held"     // there was occasion, and it did not come again until the run's end
	Untested = "untested" // the run ended without an occasion to see it again
	Running  = "open"     // it has not come again; the run goes on
)

// ActionEscalate is the ladder's third step (RW-40).
const ActionEscalate = "escalate"

// Correction is a corrective action with what tells whether it helped (RW-42).
type Correction struct {
	Event   string              `json:"event"`
	Time    time.Time           `json:"time"`
	Layer   sessionevents.Layer `json:"layer"`
	Issue   string              `json:"issue"`
	Step    int                 `json:"step"`
	Action  string              `json:"action"`
	Agent   string              `json:"agent,omitempty"` // whose behaviour it is
	Session string              `json:"session,omitempty"`
	Cause   string              `json:"cause,omitempty"`    // the event it was seen in: no new occasion
	Again   []string            `json:"again,omitempty"`    // the signals of the same issue since
	Tested  string              `json:"occasion,omitempty"` // the first event that could have shown it again
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

// seen folds a shadow; those of sessions are their own reports'. One that is
// suppressed did not come again (RW-8).
func (s *State) seen(settings *Settings, ev events.Event, d *sessionevents.Signal) {
	if d.Layer == sessionevents.LayerSession || d.Layer == "" {
		return
	}
	for i := range s.Corrections {
		c := &s.Corrections[i]
		if d.Suppressed == "" && c.Issue == d.Subject && c.Layer == d.Layer && len(c.Again) < settings.Entries {
			c.Again = append(c.Again, ev.ID)
		}
	}
	s.Sightings = slices.DeleteFunc(s.Sightings, func(known Sighting) bool { return known.Issue == d.Subject && known.Layer == d.Layer })
	s.Sightings = append(s.Sightings, Sighting{Event: ev.ID, Cause: ev.CausationID, Layer: d.Layer, Issue: d.Subject, Agent: d.AgentID, Session: d.Session})
	s.Sightings = s.Sightings[max(0, len(s.Sightings)-settings.Entries):]
}

// Corrects reports whether an escalation is a step of the ladder: one about an
// issue that was corrected before.
func (s *State) Corrects(d *runevents.EscalationRaised) bool {
	return !d.Reminder && slices.ContainsFunc(s.Corrections, func(c Correction) bool { return c.Issue == d.Issue && c.Layer == d.Layer })
}

// corrected adds a corrective action of an issue.
func (s *State) corrected(settings *Settings, ev events.Event, c Correction) {
	if !s.room(settings, len(s.Corrections)) {
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
func (s *State) worked(ev events.Event) {
	for i := range s.Corrections {
		if c := &s.Corrections[i]; c.Tested == "" && !c.seenIn(ev) && c.concerns(ev) {
			c.Tested = ev.ID
		}
	}
}

// seenIn reports whether an event is the one that showed the issue; a turn and
// what was seen in it have one cause.
func (c *Correction) seenIn(ev events.Event) bool {
	return c.Cause != "" && (ev.ID == c.Cause || ev.CausationID == c.Cause)
}

// concerns reports whether an issue could have shown in an event: an archetype's
// in what that archetype or agent does, others in whatever work goes on.
func (c *Correction) concerns(ev events.Event) bool {
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
func (c *Correction) by(name string) bool {
	archetype, _, _ := strings.Cut(c.Issue, "/")
	return name != "" && (strings.EqualFold(name, archetype) || name == c.Agent)
}

// Helped says whether the action helped, as far as is known.
func (s *State) Helped(c *Correction) string {
	switch {
	case len(c.Again) > 0:
		return Recurred
	case s.Completed == "":
		return Running
	case c.Tested == "":
		return Untested
	}
	return Held
}
