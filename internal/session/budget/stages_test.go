package budget

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// The list reads in the order of the specification: DP-11 before DP-12 before
// DP-13 …; before it what was said is judged and what was silenced leaves; closing
// the turn comes last.
func TestTurnStagesFollowTheSpecification(t *testing.T) {
	var rules []string
	for _, stage := range turnStages {
		rules = append(rules, stage.rule[:5])
	}
	require.Equal(t, "DP-21", rules[0])
	require.Equal(t, "DP-10", rules[len(rules)-1])
	require.Equal(t, "DP-25", rules[1])
	middle := rules[2 : len(rules)-2]
	require.True(t, slices.IsSorted(middle), "%v", middle)
}

// EV-5: DECISIONS holds all a report needs, and no turns.
func TestForwarded(t *testing.T) {
	m := NewMachine(defaultConfig(t))
	for typ, want := range map[events.Type]int{
		sessionevents.TypeSignalDetected: 1, sessionevents.TypeTurnEvaluated: 1, sessionevents.TypeSessionOpened: 1, sessionevents.TypeSessionClosed: 1,
		sessionevents.TypeInterruptDelivery: 1, runevents.TypeOperatorAct: 1, runevents.TypeRunStarted: 1, runevents.TypeGitCommit: 1,
		sessionevents.TypeTurnSegmented: 0, sessionevents.TypeTurnRaw: 0, events.TypeTimerExpired: 0, events.TypeTimerSet: 0,
	} {
		ev := events.Event{ID: "1", Source: "test", Type: typ, Subject: "s1"}
		out := step.NewEmitter(StageName, step.Identity{}, ev)
		_, err := m.Step(m.New("s1"), step.Input{Event: ev}, out)
		require.NoError(t, err)
		require.Len(t, out.Events(), want, typ)
	}
}

// A broken snapshot is refused, an empty one is a new group.
func TestDecode(t *testing.T) {
	m := NewMachine(defaultConfig(t))
	_, err := m.Decode([]byte(`{"sessions":3}`))
	require.ErrorContains(t, err, "decode dispatch state")
	state, err := m.Decode([]byte(`{"group":"g","sessions":null}`))
	require.NoError(t, err)
	require.NotNil(t, state.Sessions)
}
