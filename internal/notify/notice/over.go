package notice

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// close removes what needs no person any more, because it was answered or is over. Pending notices are
// dropped, sent ones are not repeated, and a channel that keeps incidents is notified that they are
// settled.
func (r round) close(e events.Event) {
	s := r.s
	over := ended(e)
	if over == nil {
		return
	}
	done := func(n Notice) bool { return n.Open != "" && over(n) }
	for _, key := range s.keys() {
		g := s.Groups[key]
		g.Waiting = slices.DeleteFunc(g.Waiting, done)
		settled := taken(&g.Open, done)
		if c := r.channels[g.Channel]; len(settled) > 0 && len(g.Open) == 0 && c != nil && c.Resolves && !s.off(c) {
			r.settle(g, settled)
		}
		if g.idle() && g.Told.IsZero() {
			delete(s.Groups, key)
		}
	}
	for _, m := range s.Outbox {
		for i := range m.Notices {
			m.Notices[i].Over = m.Notices[i].Over || !m.Resolved && done(m.Notices[i])
		}
	}
}

// taken removes what matches from a list and returns it.
func taken(list *[]Notice, match func(Notice) bool) []Notice {
	var out []Notice
	for _, n := range *list {
		if match(n) {
			out = append(out, n)
		}
	}
	*list = slices.DeleteFunc(*list, match)
	return out
}

func (g *Group) idle() bool { return len(g.Waiting) == 0 && g.More == 0 && len(g.Open) == 0 }

// sweep removes what was answered meanwhile from pending messages; a changed message counts as a new one.
// Messages in transit stay as they are.
func (r round) sweep(busy map[string]bool) {
	s, now := r.s, r.now
	var left []*Message
	for _, m := range s.Outbox {
		if !busy[m.Channel] && slices.ContainsFunc(m.Notices, func(n Notice) bool { return n.Over }) {
			m.Notices = slices.DeleteFunc(m.Notices, func(n Notice) bool { return n.Over })
			if len(m.Notices) == 0 && m.More == 0 {
				r.remember(Past{At: now, Channel: m.Channel, Outcome: "dropped", Title: m.Title, Why: "answered before it was sent", Key: m.Key})
				continue
			}
			r.words.compose(m)
		}
		left = append(left, m)
	}
	s.Outbox = left
}

// ended returns a match for the notices that an event ends; nil for most events.
func ended(e events.Event) func(Notice) bool {
	is := func(open string) func(Notice) bool { return func(n Notice) bool { return n.Open == open } }
	switch d := e.Data.(type) {
	case *runevents.ControlChanged:
		if d.State == runevents.ControlRunning {
			return is(openBreak(e.Subject))
		}
	case *runevents.RunResumed:
		if e.Credential == events.RoleOperator {
			return is(openBreak(e.Subject))
		}
	case *runevents.OperatorAct:
		if d.Act == runevents.ActAck {
			return acknowledged(e, d)
		}
	case *runevents.ClarificationAnswered:
		if e.Credential == events.RoleOperator {
			return is(openQuestion(e.Subject, d.RequestID))
		}
	case *runevents.ClarificationDefaulted:
		return is(openQuestion(e.Subject, d.RequestID))
	case *runevents.RecoverySelected:
		if e.Credential == events.RoleOperator {
			begin := openGate(e.Subject, &runevents.GateDecided{Gate: runevents.GateMerge, Wave: d.Wave})
			return func(n Notice) bool { return strings.HasPrefix(n.Open, strings.TrimRight(begin, "/")+"/") }
		}
	case *runevents.GateDecided:
		if d.Decision != runevents.DecisionDeny && !d.Ahead {
			return is(openGate(e.Subject, d))
		}
	case *runevents.RunCompleted:
		return func(n Notice) bool { return n.Subject == e.Subject || n.Run == e.Subject }
	}
	return nil
}

// acknowledged matches the escalations that the run considers acknowledged (RW-41): the one named by its
// own id or its reminder's, or without a name all of the session or run.
func acknowledged(e events.Event, act *runevents.OperatorAct) func(Notice) bool {
	if act.Target == "" || act.Target == act.Run || act.Target == act.Session {
		return func(n Notice) bool {
			if act.Session != "" {
				return n.Kind == KindEscalation && n.Subject == act.Session
			}
			return n.Kind == KindEscalation && (n.Subject == e.Group() || n.Run == e.Group())
		}
	}
	return func(n Notice) bool {
		return n.Kind == KindEscalation && (n.Of == act.Target || n.About == act.Target)
	}
}
