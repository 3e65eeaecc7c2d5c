package notice

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// close takes away what needs nobody any more: it was answered, or is over. What
// waits untold is dropped, what was told is not repeated.
func (s *State) close(e events.Event) {
	over := ended(e)
	if over == nil {
		return
	}
	done := func(n Notice) bool { return n.Open != "" && over(n) }
	for _, key := range s.keys() {
		g := s.Groups[key]
		g.Waiting = slices.DeleteFunc(g.Waiting, done)
		g.Open = slices.DeleteFunc(g.Open, done)
		if g.idle() && g.Told.IsZero() {
			delete(s.Groups, key)
		}
	}
}

func (g *Group) idle() bool { return len(g.Waiting) == 0 && g.More == 0 && len(g.Open) == 0 }

// ended says what an event puts an end to; nil for most.
func ended(e events.Event) func(Notice) bool {
	is := func(open string) func(Notice) bool { return func(n Notice) bool { return n.Open == open } }
	switch d := e.Data.(type) {
	case *events.ControlChanged:
		if d.State == events.ControlRunning {
			return is(openBreak(e.Subject))
		}
	case *events.RunResumed:
		if e.Credential == events.RoleOperator {
			return is(openBreak(e.Subject))
		}
	case *events.OperatorAct:
		if d.Act == "ack" && d.Target != "" {
			return is(openEscalation(d.Target))
		}
	case *events.ClarificationAnswered:
		if e.Credential == events.RoleOperator {
			return is(openQuestion(e.Subject, d.RequestID))
		}
	case *events.ClarificationDefaulted:
		return is(openQuestion(e.Subject, d.RequestID))
	case *events.RecoverySelected:
		if e.Credential == events.RoleOperator {
			begin := openGate(e.Subject, &events.GateDecided{Gate: events.GateMerge, Wave: d.Wave})
			return func(n Notice) bool { return strings.HasPrefix(n.Open, strings.TrimRight(begin, "/")+"/") }
		}
	case *events.GateDecided:
		if d.Decision != events.DecisionDeny && !d.Ahead {
			return is(openGate(e.Subject, d))
		}
	case *events.RunCompleted:
		return func(n Notice) bool { return n.Subject == e.Subject }
	}
	return nil
}
