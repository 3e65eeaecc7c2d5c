package demo_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

var morning = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// decided plays the fleet without a broker, until all is decided.
func decided(t *testing.T) map[string][]events.Event {
	t.Helper()
	play, err := demo.NewPlay(morning)
	require.NoError(t, err)
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	chain := core.Chain()
	got := map[string][]events.Event{}
	over := 0
	for i, e := range play.Events {
		require.NoError(t, events.Validate(e, events.DefaultLimits()), "%s", e.ID)
		require.True(t, i == 0 || !e.Time.Before(play.Events[i-1].Time), "%s", e.ID)
		e, err := publish.Prepare(e)
		require.NoError(t, err)
		for _, d := range chain.Feed(e) {
			got[d.Group()] = append(got[d.Group()], d)
			if play.Over(d) {
				over++
				require.Equal(t, len(play.Events)-1, i, "over before everything was played")
			}
		}
	}
	require.Empty(t, chain.DeadLetters)
	require.Positive(t, over, "the play never ends")
	return got
}

func kinds[T any](list []events.Event) []T {
	var found []T
	for _, e := range list {
		if d, ok := e.Data.(T); ok {
			found = append(found, d)
		}
	}
	return found
}

// TestPlay holds what a viewer is to see.
func TestPlay(t *testing.T) {
	got := decided(t)
	t.Run("sessions are interrupted", func(t *testing.T) { sessionsAreInterrupted(t, got) })
	t.Run("failing loop is halted", func(t *testing.T) { failingLoopIsHalted(t, got) })
	t.Run("correction is heeded", func(t *testing.T) { correctionIsHeeded(t, got) })
	t.Run("merge of an empty branch is denied", func(t *testing.T) { mergeOfAnEmptyBranchIsDenied(t, got) })
	t.Run("clean wave is silent", func(t *testing.T) { cleanWaveIsSilent(t, got) })
}

// An interrupt of each class, as the picture shows.
func sessionsAreInterrupted(t *testing.T, got map[string][]events.Event) {
	for session, want := range map[string][]string{
		"payments-webhook": {"B1"}, "user-search": {"B2"}, "order-history": {"A2"}, "nightly-build": {"C4"},
		"csv-export": {"D2", "D2", "D2"}, "rate-limiter": nil, "release-notes": nil,
	} {
		var fired []string
		for _, i := range kinds[*sessionevents.InterruptFired](got[session]) {
			fired = append(fired, i.Detector)
		}
		require.Equal(t, want, fired, session)
	}
}

// Three failures in a row halt the loop, and a person is asked (RW-30, RW-40).
func failingLoopIsHalted(t *testing.T, got map[string][]events.Event) {
	list := got["flaky-tests"]
	breaks := kinds[*runevents.WiggumBreak](list)
	require.Len(t, breaks, 1)
	require.Equal(t, runevents.TriggerAgentFailures, breaks[0].Trigger)
	require.Equal(t, runevents.BreakHard, breaks[0].Kind)
	raised := kinds[*runevents.EscalationRaised](list)
	require.Len(t, raised, 1)
	require.Equal(t, "break/agent_failures", raised[0].Issue)
	control := kinds[*runevents.ControlChanged](list)
	require.Equal(t, runevents.ControlHalted, control[len(control)-1].State)
	require.Empty(t, kinds[*runevents.HaltIgnored](list))
}

// The rogue maker is corrected once and heeds it (RW-3).
func correctionIsHeeded(t *testing.T, got map[string][]events.Event) {
	list := got["invoice-dates"]
	corrections := kinds[*runevents.CorrectionIssued](list)
	require.Len(t, corrections, 1)
	require.Equal(t, "maker/rogue", corrections[0].Issue)
	require.Equal(t, 1, corrections[0].Step)
	require.Empty(t, kinds[*runevents.WiggumBreak](list))
	require.Empty(t, kinds[*runevents.EscalationRaised](list))
	require.Equal(t, "success", kinds[*runevents.RunCompleted](list)[0].Outcome)
}

// An empty branch shuts the gate for the whole wave (WP-1).
func mergeOfAnEmptyBranchIsDenied(t *testing.T, got map[string][]events.Event) {
	list := got["catalog-split"]
	var denied []*runevents.GateDecided
	for _, g := range kinds[*runevents.GateDecided](list) {
		if g.Decision != runevents.DecisionAllow {
			denied = append(denied, g)
		}
	}
	require.Len(t, denied, 1)
	require.Equal(t, runevents.GateMerge, denied[0].Gate)
	require.Equal(t, "WP-1", denied[0].Rule)
	require.Len(t, denied[0].Options, 3)
	require.Equal(t, runevents.TriggerIsolationFailure, kinds[*runevents.WiggumBreak](list)[0].Trigger)
	require.Empty(t, kinds[*runevents.ViolationDetected](list), "nobody went past the gate")
}

// In the clean wave gates allow and nothing else is said.
func cleanWaveIsSilent(t *testing.T, got map[string][]events.Event) {
	list := got["mail-templates"]
	gates := kinds[*runevents.GateDecided](list)
	require.Len(t, gates, 4, "two worktrees, the launch, the merge")
	for _, g := range gates {
		require.Equal(t, runevents.DecisionAllow, g.Decision)
	}
	for _, e := range list {
		switch e.Type {
		case sessionevents.TypeSignalDetected, runevents.TypeWiggumBreak, runevents.TypeCorrectionIssued, runevents.TypeEscalationRaised,
			runevents.TypeViolationDetected, runevents.TypeWarningIssued, sessionevents.TypeInterruptFired:
			t.Errorf("%s: %+v", e.Type, e.Data)
		}
	}
	require.Equal(t, "success", kinds[*runevents.RunCompleted](list)[0].Outcome)
}
