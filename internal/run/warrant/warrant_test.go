package warrant

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func config(t require.TestingT) *Config {
	c, err := LoadConfig(rules.Default())
	require.NoError(t, err)
	return c
}

// story folds events one by one and returns "break basis" of each verdict as it is emitted.
type story struct {
	t *testing.T
	c *Config
	s State
	n int
}

func (p *story) apply(typ events.Type, subject string, role events.Role, data any) []string {
	p.n++
	ev := events.Event{ID: fmt.Sprint("e", p.n), Type: typ, Subject: subject, PartitionKey: "r", CausationID: fmt.Sprint("c", p.n), Credential: role, Data: data}
	var out []string
	for _, b := range p.c.Apply(&p.s, []events.Event{ev}) {
		require.NotNil(p.t, b.Warrant.Evidence)
		out = append(out, b.Break+" "+string(b.Warrant.Basis))
	}
	return out
}

func (p *story) broke(trigger runevents.BreakTrigger) []string {
	return p.apply(runevents.TypeWiggumBreak, "r", "", &runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: trigger, Scope: runevents.ScopeRun})
}

func (p *story) resumed() []string {
	return p.apply(runevents.TypeControlChanged, "r", "", &runevents.ControlChanged{State: runevents.ControlRunning, Scope: runevents.ScopeRun, Who: "ann"})
}

func (p *story) completed(outcome string) []string {
	return p.apply(runevents.TypeRunCompleted, "r", events.RolePublisher, &runevents.RunCompleted{Outcome: outcome})
}

// RW-32: a verdict is emitted when it changes, and only then; the scripts of the
// run report have each row of the table in docs/report.md.
func TestABreakThatRecurs(t *testing.T) {
	p := story{t: t, c: config(t)}
	require.Empty(t, p.completed("failure"), "nothing was broken")
	require.Equal(t, State{}, p.s, "a run without a break costs nothing")
	require.Equal(t, []string{"e2 stands"}, p.broke(runevents.TriggerAgentFailures))
	require.Equal(t, []string{"e2 goes_on"}, p.resumed())
	require.Equal(t, "ann", p.s.Breaks[0].Resumed.By)
	require.Equal(t, "c3", p.s.Breaks[0].Resumed.Event)
	require.Equal(t, []string{"e2 same_trigger_again", "e4 stands"}, p.broke(runevents.TriggerAgentFailures))
	require.Empty(t, p.apply(runevents.TypeBreakNoted, "r", "", &runevents.BreakNoted{Break: "e4", Trigger: runevents.TriggerBudget95}), "another trigger")
	require.Equal(t, []string{"e4 not_taken_up"}, p.completed("failure"))
	require.Equal(t, []string{"e4 stands"}, p.apply(runevents.TypeRunStarted, "r", events.RolePublisher, &runevents.RunStarted{}), "a run that goes on takes its end back")
}

func TestABreakThatWasNotWarranted(t *testing.T) {
	p := story{t: t, c: config(t)}
	p.broke(runevents.TriggerAgentFailures)
	p.resumed()
	require.Equal(t, []string{"e1 succeeded_after_resume"}, p.completed(" Done "))
	require.Equal(t, runevents.NotWarranted, p.s.Breaks[0].Said.Warrant.Verdict)
}

// EV-10: a fact without its credential changes nothing.
func TestClaimsAreNotFacts(t *testing.T) {
	p := story{t: t, c: config(t)}
	p.broke(runevents.TriggerBrokenSuite)
	revert, chosen := &runevents.GitCommit{Purpose: "revert"}, &runevents.RecoverySelected{Option: 1}
	require.Empty(t, p.apply(runevents.TypeGitCommit, "r", events.RolePublisher, revert))
	require.Empty(t, p.apply(runevents.TypeRecoverySelected, "r", events.RolePublisher, chosen))
	require.Equal(t, []string{"e1 work_taken_back"}, p.apply(runevents.TypeGitCommit, "r", events.RoleInfra, revert))
	require.Equal(t, []string{"e1 work_taken_back"}, p.apply(runevents.TypeRecoverySelected, "r", events.RoleOperator, chosen), "what came of it is emitted, too")
}

// anyDecision is one of any type, with what the fold reads filled so that it
// hangs together now and then.
func anyDecision(t *rapid.T, n int) events.Event {
	id := rapid.SampledFrom([]string{"", "r", "s", "1", "2", "3"})
	d := rapid.SampledFrom(events.All()).Draw(t, "type")
	e := events.Event{
		ID: fmt.Sprint(n), Type: d.Type, Subject: id.Draw(t, "subject"), PartitionKey: "r", CausationID: id.Draw(t, "cause"),
		Time: time.Date(2026, 1, 5, 9, n, 0, 0, time.UTC), Data: d.New(), Credential: rapid.SampledFrom([]events.Role{"", events.RoleOperator, events.RoleInfra}).Draw(t, "role"),
	}
	switch data := e.Data.(type) {
	case *runevents.WiggumBreak:
		data.Trigger = rapid.SampledFrom([]runevents.BreakTrigger{runevents.TriggerBrokenSuite, runevents.TriggerBudget95}).Draw(t, "trigger")
		data.Kind, data.Scope, data.Upgrades = runevents.BreakSoft, rapid.SampledFrom([]runevents.Scope{runevents.ScopeRun, runevents.ScopeSession}).Draw(t, "scope"), id.Draw(t, "upgrades")
	case *runevents.BreakNoted:
		data.Break, data.Trigger, data.Reason = id.Draw(t, "break"), runevents.TriggerBudget95, strings.Repeat("reason ", 10)
	case *runevents.HaltIgnored:
		data.Break = id.Draw(t, "break")
	case *runevents.ControlChanged:
		data.State = runevents.ControlRunning
	case *runevents.RunCompleted:
		data.Outcome = rapid.SampledFrom([]string{"success", "failure"}).Draw(t, "outcome")
	case *runevents.RecoverySelected:
		data.Option = rapid.IntRange(0, 4).Draw(t, "option")
	case *runevents.GitCommit:
		data.Purpose = rapid.SampledFrom([]string{"", "revert"}).Draw(t, "purpose")
	}
	return e
}

// Whatever comes: no panic, bounded lists, a state that went through JSON before
// every event says the same, and the last verdict emitted is the one that holds.
func TestAnyEvents(t *testing.T) {
	c := *config(t)
	c.Kept = Kept{Breaks: 5, Text: 20}
	rapid.Check(t, func(t *rapid.T) {
		var live, stored State
		emitted := map[string]runevents.BreakJudged{}
		for n := range rapid.IntRange(1, 60).Draw(t, "events") {
			e := anyDecision(t, n)
			first := c.Apply(&live, []events.Event{e})
			text, err := json.Marshal(stored)
			require.NoError(t, err)
			stored = State{}
			require.NoError(t, json.Unmarshal(text, &stored))
			require.Equal(t, first, c.Apply(&stored, []events.Event{e}))
			for _, b := range first {
				emitted[b.Break] = b
			}
		}
		require.LessOrEqual(t, len(live.Breaks), c.Kept.Breaks)
		for i := range live.Breaks {
			b := &live.Breaks[i]
			require.LessOrEqual(t, len(b.Ignored), maxIgnored)
			require.Equal(t, c.judge(&live, b), emitted[b.ID].Warrant)
			require.Equal(t, b.Resumed, emitted[b.ID].Resumed)
		}
	})
}

// RW-32: a halt after which a person put the cause right was warranted, also where
// the run then succeeds.
func TestAHaltWhoseCauseWasFixed(t *testing.T) {
	for why, basis := range map[string]runevents.WarrantBasis{
		"renewed the API key":       runevents.BasisFixed,
		"The disk was full; fixed.": runevents.BasisFixed,
		"checked, nothing to fix":   runevents.BasisSucceededAfter,
		"it isn't fixed, but go on": runevents.BasisSucceededAfter,
		"false alarm":               runevents.BasisSucceededAfter,
		"":                          runevents.BasisSucceededAfter,
		"the fixture is not what failed; go ahead": runevents.BasisSucceededAfter,
	} {
		p := story{t: t, c: config(t)}
		p.broke(runevents.TriggerAgentFailures)
		p.apply(runevents.TypeControlChanged, "r", "", &runevents.ControlChanged{State: runevents.ControlRunning, Scope: runevents.ScopeRun, Who: "ann", Why: why})
		p.completed("success")
		require.Equal(t, basis, p.s.Breaks[0].Said.Warrant.Basis, why)
	}
	p := story{t: t, c: config(t)} // a limit that was raised is another thing
	p.broke(runevents.TriggerBudgetExhausted)
	p.apply(runevents.TypeControlChanged, "r", "", &runevents.ControlChanged{State: runevents.ControlRunning, Scope: runevents.ScopeRun, Who: "ann", Why: "updated the budget"})
	p.completed("success")
	require.Equal(t, runevents.BasisBoundaryMoved, p.s.Breaks[0].Said.Warrant.Basis)
}
