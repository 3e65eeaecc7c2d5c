package preflight

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// security answers for escalations in what the call would write (DP-3).
func (c *Checker) security(call *Call) Answer {
	mode := c.config.Classes.Security
	if mode == ModeOff || c.suite == nil {
		return allowed("")
	}
	found, silenced := c.escalations(call)
	if len(found) == 0 {
		return allowed(silenced)
	}
	lead := &found[0]
	answer := Answer{
		Decision: mode.decision(), Class: ClassSecurity, Rule: lead.Detector,
		Text: c.worded(lead.Message), Reason: lead.Reason, Signals: found,
	}
	if more := len(found) - 1; more > 0 {
		answer.Reason += fmt.Sprintf(" (%d more in this call.)", more)
	}
	return c.observed(answer)
}

// observed lets a call pass in modes that deliver nothing (DP-25). A halt is a separate decision
// and still applies.
func (c *Checker) observed(a Answer) Answer {
	if c.dispatch.Mode != rules.ModeObserve || a.Decision == Allow {
		return a
	}
	return Answer{Decision: Allow, Reason: "observe mode: would have been " + string(a.Decision) + ", " + a.Rule, Signals: a.Signals}
}

// escalations returns the findings of B1, B2 and E4 in the call, in order; silenced is the reason why
// other findings are left out.
func (c *Checker) escalations(call *Call) (found []sessionevents.Signal, silenced string) {
	turn := c.turn(call)
	if !acts(turn) {
		return nil, ""
	}
	result := c.suite.Evaluate(&detect.Pass{
		Turn: turn, Before: &registry.Registry{}, Additions: &registry.Turn{Number: turn.Turn}, At: call.At,
	}, c.suite.NewMemory())
	for _, s := range result.Signals {
		if !c.dispatch.Escalates(&s) {
			continue
		}
		if s.Suppressed != "" {
			silenced = s.Suppressed
			continue
		}
		if reason, muted := c.dispatch.Muted(&s, call.Turn, call.At, call.Mutes); muted {
			silenced = reason
			continue
		}
		found = append(found, s)
	}
	return found, silenced
}

// turn returns the call as a redacted turn.
func (c *Checker) turn(call *Call) *sessionevents.TurnSegmented {
	clean, secrets := c.redactor.Turn(sessionevents.Turn{
		Session: call.Session, Run: call.Run, Format: "blocks", Blocks: []sessionevents.Block{c.block(call)},
	})
	return c.segmenter.Cut(&clean, max(call.Turn, 1), segment.Options{Workspace: call.Workspace, Secrets: secrets})
}

func (c *Checker) block(call *Call) sessionevents.Block {
	return sessionevents.Block{Type: sessionevents.BlockToolCall, Name: call.Name, Input: call.Input}
}

// acts reports whether the call edits a file or runs a command.
func acts(t *sessionevents.TurnSegmented) bool {
	for i := range t.Segments {
		if s := &t.Segments[i]; s.Kind == sessionevents.SegmentDiff || s.Tool != nil && s.Tool.Command != "" {
			return true
		}
	}
	return false
}
