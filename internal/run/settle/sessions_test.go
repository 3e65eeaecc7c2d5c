package settle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Above the limit the session goes that is over, then the one silent longest, then
// by name; one that its own break stopped goes last, and the new one never.
func TestWhichSessionMakesRoom(t *testing.T) {
	open := settle.Control{State: runevents.ControlHalted, Open: &settle.Open{ID: "b"}}
	runs := settle.Control{State: runevents.ControlRunning}
	for name, test := range map[string]struct {
		a, b settle.Session
		gone string
	}{
		"equals":                      {settle.Session{Control: runs}, settle.Session{Control: runs}, "a"},
		"silent longer":               {settle.Session{Control: runs, Activity: 2}, settle.Session{Control: runs, Activity: 1}, "b"},
		"over":                        {settle.Session{Control: runs, Activity: 1}, settle.Session{Control: runs, Activity: 2, Closed: true}, "b"},
		"left":                        {settle.Session{Control: runs, Activity: 1}, settle.Session{Control: runs, Activity: 2, Left: true}, "b"},
		"stopped":                     {settle.Session{Control: open, Activity: 1}, settle.Session{Control: runs, Activity: 2}, "b"},
		"stopped and over":            {settle.Session{Control: open, Closed: true}, settle.Session{Control: runs, Activity: 2}, "b"},
		"both stopped, one is silent": {settle.Session{Control: open, Activity: 2}, settle.Session{Control: open, Activity: 1}, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			s := settle.State{Activity: 9, Sessions: map[string]*settle.Session{"a": &test.a, "b": &test.b}}
			require.Equal(t, 9, s.Session("0", 2).Activity)
			require.NotContains(t, s.Sessions, test.gone)
			require.Len(t, s.Sessions, 2)
			require.Contains(t, s.Sessions, "0")
			require.Same(t, s.Sessions["0"], s.Session("0", 2), "known")
		})
	}
	var s settle.State
	s.Session("a", 0)
	require.Contains(t, s.Sessions, "a", "the new one stays")
}

// A key whose session is forgotten ends, if it was published as running.
func TestKeysOfForgottenSessions(t *testing.T) {
	s := begin()
	s.config.Kept.Sessions = 3
	s.phase(nothing)
	s.state.Session("s2", 3).Activity = 5
	s.state.Session("s3", 3).Activity = 5
	require.Equal(t, []string{"s2 running", "s3 running"}, states(s.phase(nothing)))
	s.state.Session("s4", 3).Activity = 5
	require.Equal(t, []string{"s4 running", "s ended"}, states(s.phase(nothing)))
	require.Empty(t, states(s.phase(nothing)), "once")
	s.state.Session("s5", 3)
	s.state.Session("s6", 3)
	require.NotContains(t, states(s.phase(nothing)), "s5 ended", "its key never began")
}

// The session of an agent is the one it worked in last.
func TestSessionOf(t *testing.T) {
	s := settle.State{Sessions: map[string]*settle.Session{
		"a": {Agent: "m", Activity: 1}, "b": {Agent: "m", Activity: 3}, "c": {Agent: "m", Activity: 2}, "d": {Agent: "", Activity: 9}, "e": {Agent: "n", Activity: 9, Closed: true}, "f": {Agent: "n", Activity: 1},
	}}
	require.Equal(t, "b", s.SessionOf("m"))
	require.Equal(t, "f", s.SessionOf("n"), "one that goes on")
	require.Empty(t, s.SessionOf(""))
	require.Empty(t, s.SessionOf("x"))
}

func ofSession(kind runevents.BreakKind, id string) func(*run.Context) {
	return func(c *run.Context) {
		c.RequestBreak(runevents.WiggumBreak{Kind: kind, Trigger: runevents.TriggerStuckLoop, Scope: runevents.ScopeSession, Session: id, Reason: "loops"})
	}
}

// RW-35: a break of a session stops it alone; while its run is halted it is noted on
// the run's; a run's break stops its sessions, those with their own stay so.
func TestBreaksOfSessions(t *testing.T) {
	s := begin()
	s.phase(nothing)
	out := s.phase(ofSession(runevents.BreakHard, "s"))
	broken := first[runevents.WiggumBreak](t, out)
	require.Equal(t, "r", broken.Run)
	require.Equal(t, runevents.WIPCommit, broken.WIPAction)
	require.Equal(t, []string{}, broken.Evidence)
	require.Equal(t, []string{"e1"}, broken.RunState.LastEvents, "what the run shows")
	require.Equal(t, []string{"s halted"}, states(out))
	require.Equal(t, []string{"r halted"}, states(s.phase(request(runevents.BreakHard, runevents.TriggerAgentFailures))))
	noted := first[runevents.BreakNoted](t, s.phase(ofSession(runevents.BreakHard, "s2")))
	require.Equal(t, s.state.Control.Open.ID, noted.Break, "the run's halt is the session's")
	require.Equal(t, runevents.BreakNoted{Break: noted.Break, Kind: runevents.BreakHard, Trigger: runevents.TriggerStuckLoop, Reason: "loops"}, noted)
	require.Equal(t, []runevents.BreakTrigger{runevents.TriggerStuckLoop}, s.state.Control.Open.Noted)
	s.phase(ofSession(runevents.BreakHard, "s2"))
	s.phase(request(runevents.BreakHard, runevents.TriggerAgentFailures))
	require.Len(t, s.state.Control.Open.Noted, 1, "each trigger once, and not its own")

	s = begin()
	s.phase(nothing)
	require.Equal(t, runevents.WIPFinishThenHalt, first[runevents.WiggumBreak](t, s.phase(ofSession(runevents.BreakSoft, "s"))).WIPAction)
	s.phase(request(runevents.BreakSoft, runevents.TriggerBudget95))
	require.Len(t, all[runevents.WiggumBreak](s.phase(ofSession(runevents.BreakSoft, "s2"))), 1, "the run only drains")
	require.Len(t, all[runevents.BreakNoted](s.phase(ofSession(runevents.BreakSoft, "s"))), 1)
	up := first[runevents.WiggumBreak](t, s.phase(ofSession(runevents.BreakHard, "s")))
	require.NotEmpty(t, up.Upgrades)
}

// RW-32: an upgrade covers what was noted on the soft break, and answers its report.
func TestUpgrades(t *testing.T) {
	s := begin()
	s.phase(request(runevents.BreakSoft, runevents.TriggerBudget95))
	s.phase(request(runevents.BreakSoft, runevents.TriggerLowConvergence))
	s.phase(request(runevents.BreakSoft, runevents.TriggerGrowingFindings))
	soft := s.state.Control.Open
	require.Len(t, s.state.Escalations, 1)
	require.Equal(t, soft.ID, s.state.Escalations[0].Break)
	out := s.phase(request(runevents.BreakHard, runevents.TriggerGrowingFindings))
	require.Equal(t, soft.ID, first[runevents.WiggumBreak](t, out).Upgrades)
	open := s.state.Control.Open
	require.Equal(t, soft.ID, open.Upgraded)
	require.Equal(t, []runevents.BreakTrigger{runevents.TriggerBudget95, runevents.TriggerLowConvergence}, open.Noted)
	require.Equal(t, "why", s.state.Control.Why)
	require.Equal(t, "e4", open.Event)
	require.Len(t, s.state.Escalations, 1)
	require.Equal(t, open.ID, s.state.Escalations[0].Break)

	s.phase(nothing)
	s.state.Control.State = runevents.ControlHalted
	require.Empty(t, all[runevents.WiggumBreak](s.phase(request(runevents.BreakHard, runevents.TriggerTaskFailures))), "a hard one is not replaced")
	s = begin()
	s.phase(request(runevents.BreakSoft, runevents.TriggerBudget95))
	s.state.Control.State = runevents.ControlHalted
	require.Empty(t, all[runevents.WiggumBreak](s.phase(request(runevents.BreakHard, runevents.TriggerTaskFailures))), "nor a soft one that has halted")
}

// WP-2: an act against the halt is a break of its own, once a trigger.
func TestActsAgainstTheHalt(t *testing.T) {
	s := begin()
	s.config.Breaks["x"] = settle.Break{Kind: runevents.BreakHard, AgainstHalt: true}
	s.config.Breaks["y"] = settle.Break{Kind: runevents.BreakHard, AgainstHalt: true}
	against := func(trigger runevents.BreakTrigger) func(*run.Context) { return request("", trigger) }
	broken := first[runevents.WiggumBreak](t, s.phase(against("x")))
	require.Equal(t, runevents.BreakHard, broken.Kind, "the rule data's")
	open := s.state.Control.Open.ID
	require.Len(t, all[runevents.BreakNoted](s.phase(against("x"))), 1, "the open one itself")
	out := s.phase(against("y"))
	require.Equal(t, runevents.BreakTrigger("y"), first[runevents.WiggumBreak](t, out).Trigger)
	require.Equal(t, open, s.state.Control.Open.ID)
	require.Len(t, all[runevents.EscalationRaised](out), 1)
	require.Len(t, all[runevents.BreakNoted](s.phase(against("y"))), 1, "once")
	require.Equal(t, []string{"gate deny RW-33"}, gates(s.task(asks)))
}
