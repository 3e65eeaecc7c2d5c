package settle_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// facts are the Facts of a run that has completed some tasks.
type facts int

func (facts) RunState() runevents.RunState    { return runevents.RunState{LastEvents: []string{"e1"}} }
func (facts) Unresolved() []runevents.Finding { return nil }
func (facts) Best() string                    { return "" }
func (f facts) TasksCompleted() int           { return int(f) }

// run "r" is settled with a session "s".
type settled struct {
	config settle.Config
	state  settle.State
	facts  facts
	n      int
}

func begin() *settled {
	s := &settled{config: settle.Config{
		Escalation: settle.Reminding{Reminder: time.Hour},
		Breaks:     map[string]settle.Break{},
		Kept:       settle.Kept{Sessions: 8, Agents: 8, Findings: 8, Text: 1000, Unresolved: 8, Escalations: 8, Issues: 8, Events: 8},
	}}
	s.state.Begin("r")
	s.state.Session("s", s.config.Kept.Sessions)
	return s
}

// on settles what conclude adds to an event and returns each derived event as a
// line.
func (s *settled) on(data any, typ events.Type, conclude func(*run.Context)) []string {
	s.n++
	e := events.Event{ID: fmt.Sprint("e", s.n), Type: typ, Subject: "r", Data: data, Time: time.Unix(int64(s.n), 0)}
	c := run.NewContext(step.Input{Event: e})
	conclude(c)
	out := step.NewEmitter("dispatcher", step.Identity{}, e)
	s.config.Decide(&s.state, c, s.facts, out)
	var lines []string
	for _, e := range out.Events() {
		switch d := e.Data.(type) {
		case *runevents.WiggumBreak:
			lines = append(lines, fmt.Sprintf("break %s %s", d.Kind, d.Trigger))
		case *runevents.BreakNoted:
			lines = append(lines, fmt.Sprintf("noted %s", d.Trigger))
		case *runevents.ControlChanged:
			lines = append(lines, fmt.Sprintf("control %s %s", e.Subject, d.State))
		case *runevents.GateDecided:
			lines = append(lines, fmt.Sprintf("gate %s %s", d.Decision, d.Rule))
		case *sessionevents.InterruptFired:
			lines = append(lines, fmt.Sprintf("interrupt %s", d.UrgencyLabel))
		case *runevents.WarningIssued:
			lines = append(lines, fmt.Sprintf("warning %s", d.Code))
		}
	}
	return lines
}

func (s *settled) task(conclude func(*run.Context)) []string {
	s.facts++
	return s.on(&runevents.TaskCompleted{Task: "t"}, runevents.TypeTaskCompleted, conclude)
}

func nothing(*run.Context) {}

func request(kind runevents.BreakKind, trigger runevents.BreakTrigger) func(*run.Context) {
	return func(c *run.Context) {
		c.RequestBreak(runevents.WiggumBreak{Kind: kind, Trigger: trigger, Scope: runevents.ScopeRun, Reason: "why", Evidence: []string{"e1"}})
	}
}

func asks(c *run.Context) {
	c.Conclude(runevents.TypeGateDecided, &runevents.GateDecided{Gate: "merge", Decision: runevents.DecisionAllow, Rule: "WP-1"})
}

// RW-32, RW-33: a hard break halts at once; a further trigger is noted, and no gate
// opens.
func TestHardBreak(t *testing.T) {
	s := begin()
	require.Equal(t, []string{"gate allow WP-1"}, gates(s.task(asks)))
	require.Subset(t, s.task(request(runevents.BreakHard, runevents.TriggerAgentFailures)), []string{"break hard agent_failures", "control r halted", "control s halted"})
	require.Equal(t, []string{"noted task_failures"}, s.task(request(runevents.BreakHard, runevents.TriggerTaskFailures)))
	require.Equal(t, []string{"gate deny RW-33"}, s.task(asks))
}

// RW-33: a soft break drains until the next task ends.
func TestSoftBreak(t *testing.T) {
	s := begin()
	s.task(nothing)
	require.Subset(t, s.task(request(runevents.BreakSoft, runevents.TriggerBudget95)), []string{"break soft budget_95"})
	require.Equal(t, runevents.ControlDraining, s.state.Control.State)
	require.Subset(t, s.task(nothing), []string{"control r halted", "control s halted"})
}

// RW-32: a hard break upgrades a pending soft one, and outranks one of the same
// event.
func TestHardOutranksSoft(t *testing.T) {
	s := begin()
	s.task(request(runevents.BreakSoft, runevents.TriggerBudget95))
	soft := s.state.Control.Open.ID
	require.Subset(t, s.task(request(runevents.BreakHard, runevents.TriggerAgentFailures)), []string{"break hard agent_failures", "control r halted"})
	require.Equal(t, soft, s.state.Control.Open.Upgraded)

	s = begin()
	lines := s.task(func(c *run.Context) {
		request(runevents.BreakSoft, runevents.TriggerBudget95)(c)
		request(runevents.BreakHard, runevents.TriggerAgentFailures)(c)
	})
	require.Equal(t, "break hard agent_failures", lines[0])
	require.Contains(t, lines, "noted budget_95")
	require.NotContains(t, lines, "break soft budget_95")
}

// DP-25: observe mode publishes decisions, opens gates and sends agents nothing.
func TestObserveMode(t *testing.T) {
	s := begin()
	s.config.ObserveOnly = true
	lines := s.task(func(c *run.Context) {
		request(runevents.BreakHard, runevents.TriggerAgentFailures)(c)
		c.Interrupt(sessionevents.InterruptFired{Session: "s", Detector: "RW-3"})
	})
	require.Contains(t, lines, "break hard agent_failures")
	require.NotContains(t, lines, "interrupt RW-3")
	require.NotContains(t, lines, "control r halted")
	require.Equal(t, []string{"gate allow WP-1"}, gates(s.task(asks)))
}

// Conclusions that settle does not change are published in their order.
func TestOrderOfConclusions(t *testing.T) {
	s := begin()
	lines := s.task(func(c *run.Context) {
		c.Warning(runevents.WarningIssued{Code: "FIRST"})
		c.Interrupt(sessionevents.InterruptFired{Session: "s", Detector: "RW-3"})
		c.Warning(runevents.WarningIssued{Code: "SECOND"})
	})
	require.Equal(t, []string{"warning FIRST", "interrupt RW-3", "warning SECOND"}, lines[:3])
}

// gates returns the lines about gates.
func gates(lines []string) []string {
	var out []string
	for _, line := range lines {
		if line[:4] == "gate" {
			out = append(out, line)
		}
	}
	return out
}
