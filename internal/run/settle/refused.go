package settle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// refusedRule is the rule that denies a gate whose facts are unknown.
const refusedRule = "EV-3a"

// Refused is a fact about the run that was refused on arrival, so that no rule knows it.
type Refused struct {
	Event string `json:"event,omitempty"`
	Type  string `json:"type"`
	Why   string `json:"why"`
}

// Refuse records a refused fact. Gates are denied until a fact of its type is accepted,
// or an operator approves (EV-3a).
func (s *State) Refuse(one Refused, limit int) {
	if !slices.Contains(s.Refused, one) {
		s.Refused = text.Newest(append(s.Refused, one), limit)
	}
}

// Accept drops the refused facts of a type, after the publisher sent a valid one.
func (s *State) Accept(typ string) {
	s.Refused = slices.DeleteFunc(s.Refused, func(r Refused) bool { return r.Type == typ })
	if len(s.Refused) == 0 {
		s.Refused = nil
	}
}

// doubt denies a gate whose facts are unknown: refused facts fail closed.
func (t *settlement) doubt(gate *runevents.GateDecided) {
	s := t.state
	switch {
	case len(s.Refused) > 0:
		gate.Why = unknownFacts(s.Refused)
		for _, one := range s.Refused {
			gate.Evidence = append(gate.Evidence, runevents.Reference{Event: one.Event, What: "refused " + one.Type})
		}
	case gate.Ahead && !s.Known:
		gate.Why = fmt.Sprintf("Nothing is known of run %s: no event of it was received. Is the id right, and does its orchestrator publish?", t.subject(""))
	default:
		return
	}
	t.context.Executed(refusedRule)
	gate.Decision, gate.Rule, gate.WhoDecides = runevents.DecisionDeny, refusedRule, runevents.DecidedByScaffoldwatch
}

func unknownFacts(list []Refused) string {
	last := list[len(list)-1]
	what := fmt.Sprintf("A fact of this run was refused, so nobody knows what it says: %s %s, %s.", last.Type, last.Event, strings.TrimRight(last.Why, "."))
	if more := len(list) - 1; more > 0 {
		what += fmt.Sprintf(" So were %d others.", more)
	}
	return what + " Publish it again, corrected; or an operator approves."
}

// closeRefused closes a run event that was refused, for publishers that wait for it.
func (t *settlement) closeRefused(d *sessionevents.InputRefused) {
	if !d.RunEvent() {
		return
	}
	closing := t.closing(t.context.Event.Subject)
	closing.Event, closing.EventType, closing.Failed = d.Event, d.EventType, "refused: "+d.Reason
	t.take(closed{t.context.Event.Subject, closing})
}
