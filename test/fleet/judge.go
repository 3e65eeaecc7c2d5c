// Package fleet compares the decisions about generated runs with their known faults: each break comes once,
// each shadow is corrected, and a healthy run stays silent ("the detection engine exists to make silence
// meaningful").
package fleet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// Play feeds a case into a chain. An obedient harness stops where its run is
// halted; fed is what it sent until then. Every harness reports that it delivered what
// was said to a session: nobody is held to words that nobody received (JD-43).
func Play(chain *memory.Chain, c workload.Case, obedient bool) (fed, decided []events.Event) {
	halted := map[string]bool{}
	feed := func(e events.Event) (said []events.Event) {
		fed = append(fed, e)
		for _, d := range chain.Feed(e) {
			decided = append(decided, d)
			switch change := d.Data.(type) {
			case *runevents.ControlChanged:
				if d.Subject == d.Group() {
					halted[d.Subject] = change.State == runevents.ControlHalted
				}
			case *sessionevents.InterruptFired:
				if change.Layer == "" || change.Layer == sessionevents.LayerSession {
					said = append(said, delivered(e, change))
				}
			}
		}
		return said
	}
	for _, e := range c.Events {
		e.PartitionKey = e.Group()
		if obedient && halted[e.Group()] {
			continue
		}
		for _, fact := range feed(e) {
			feed(fact)
		}
	}
	return fed, decided
}

// delivered returns the harness's word that it delivered an interrupt, after what caused it.
func delivered(cause events.Event, i *sessionevents.InterruptFired) events.Event {
	return events.Event{
		ID: "delivered-" + i.ID, Source: cause.Source, Type: sessionevents.TypeInterruptDelivery, Subject: i.Session, Time: cause.Time,
		PartitionKey: cause.Group(), Correlation: cause.Correlation,
		Data: &sessionevents.InterruptDelivery{Interrupt: i.ID, Session: i.Session, Turn: i.Turn, State: sessionevents.DeliveryDelivered, Channel: "test"},
	}
}

// said is everything that a case reports to people.
type said struct {
	breaks  []string
	lines   []string                          // see [workload.Case.Says]
	states  map[string]runevents.ControlState // of runs, the last
	ignored int
}

func listen(decided []events.Event) said {
	s := said{states: map[string]runevents.ControlState{}}
	for _, e := range decided {
		switch d := e.Data.(type) {
		case *runevents.WiggumBreak:
			s.breaks = append(s.breaks, string(d.Kind)+" "+string(d.Trigger))
		case *runevents.ControlChanged:
			if e.Subject == e.Group() {
				s.states[e.Subject] = d.State
			}
		case *runevents.HaltIgnored:
			s.ignored++
		}
		if line := Line(e); line != "" {
			s.lines = append(s.lines, line)
		}
	}
	slices.Sort(s.lines)
	return s
}

// Line returns what an event reports to people about a run, as a line of
// [workload.Case.Says]; "" for breaks and for what people need not know.
func Line(e events.Event) string {
	switch d := e.Data.(type) {
	case *runevents.CorrectionIssued:
		return correction(d)
	case *runevents.EscalationRaised:
		if strings.HasPrefix(d.Issue, "break/") {
			return "" // goes with a break
		}
		return fmt.Sprintf("escalation %s %s", d.Layer, d.Issue)
	case *runevents.ViolationDetected:
		return "violation " + d.Code
	case *runevents.WarningIssued:
		return "warning " + d.Code
	case *sessionevents.InterruptFired:
		if d.Layer == "" || d.Layer == sessionevents.LayerSession {
			return "interrupt session " + d.UrgencyLabel
		}
		return fmt.Sprintf("interrupt %s %s", d.Layer, d.Headline)
	case *runevents.ClarificationRequested:
		return "clarification"
	case *runevents.ClarificationDefaulted:
		return "clarification defaulted"
	case *runevents.GateDecided:
		if d.Decision != runevents.DecisionAllow {
			return fmt.Sprintf("gate %s %s %s", d.Gate, d.Decision, d.Rule)
		}
	}
	return ""
}

// correction returns one of a shadow or boundary; the second and third of an issue say which they are.
func correction(d *runevents.CorrectionIssued) string {
	line := fmt.Sprintf("correction %s %s", d.Layer, d.Issue)
	if d.Step > 1 {
		line += fmt.Sprintf(" step %d", d.Step)
	}
	return line
}

// Judge describes what is wrong with the decisions about a case. For a run whose
// harness continues after a halt it judges only the breaks, and that the violation
// of the halt is reported.
func Judge(c workload.Case, decided []events.Event, obedient bool) []string {
	s := listen(decided)
	var wrong []string
	note := func(format string, args ...any) {
		wrong = append(wrong, c.Name+": "+fmt.Sprintf(format, args...))
	}
	var breaks []string
	if c.Break != "" {
		breaks = strings.Split(c.Break, ", ")
	}
	if obedient && len(breaks) > 1 {
		breaks = breaks[:1] // an obedient harness does nothing against the halt
	}
	if !slices.Equal(s.breaks, breaks) {
		note("breaks %q, wanted %q", s.breaks, breaks)
	}
	if (obedient || c.Break == "") && !slices.Equal(s.lines, c.Says) {
		note("said %q, wanted %q", s.lines, c.Says)
	}
	for i, run := range c.Runs() {
		broken := c.Break != "" && i == len(c.Runs())-1
		if state := s.states[run]; broken != (state == runevents.ControlHalted) || state == "" {
			note("%s ends as %q", run, state)
		}
	}
	if obedient && s.ignored > 0 {
		note("%d halts are said to be ignored", s.ignored)
	}
	return wrong
}
