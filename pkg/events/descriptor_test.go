package events_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

func TestDescriptors(t *testing.T) {
	seen := map[events.Type]bool{}
	for _, d := range events.All() {
		require.False(t, seen[d.Type], "%s is listed twice", d.Type)
		seen[d.Type] = true
		require.NotNil(t, d.New())
		require.NotEmpty(t, d.Doc)
		require.NotContains(t, d.Doc, "\n")
		require.Len(t, strings.Split(d.SubjectClass, "."), 2, "a forward filter counts on two tokens")
		require.Equal(t, d.Direction == events.DirectionInput, d.Stream == events.StreamInput)
		if d.Direction != events.DirectionInput {
			require.Equal(t, events.Role("service:"+subjects.StageOf(d.Stream)), d.Role)
		}
		if d.Role == events.RoleOperator {
			require.Equal(t, events.ClassOperatorAct, d.SubjectClass, "EV-10")
		}
		_, acted := events.ActorOf(d.New())
		require.Equal(t, d.RunEvent, acted, "%s: every run event has an actor, and nothing else", d.Type)
		got, ok := events.Lookup(d.Type)
		require.True(t, ok)
		require.Equal(t, d.Doc, got.Doc)
	}
	_, ok := events.Lookup("turn.rare")
	require.False(t, ok)
}

// EV-10: which role each type needs.
func TestRoles(t *testing.T) {
	roles := map[events.Role][]events.Type{
		events.RoleInfra:    {"git.commit", "git.counted", "git.merge", "worktree.created", "worktree.removed", "hook.installed", "hook.removed"},
		events.RoleOperator: {"operator.act", "content.purged", "plan.approved", "recovery.selected", "agent.descoped", "clarification.answered", "run.resumed"},
	}
	for role, types := range roles {
		var got []events.Type
		for _, d := range events.All() {
			if d.Role == role {
				got = append(got, d.Type)
			}
		}
		require.ElementsMatch(t, types, got)
	}
}

// What `scan --output jsonl` prints.
func TestPrinted(t *testing.T) {
	var got []string
	for _, d := range events.All() {
		if d.Printed() {
			got = append(got, string(d.Type))
		}
	}
	require.Equal(t, []string{
		"input.refused", "signal.detected", "turn.evaluated",
		"signal.logged", "signal.suppressed", "signal.self_corrected", "signal.expired", "signal.coalesced", "signal.unsent",
		"interrupt.queued", "interrupt.fired", "budget.exhausted", "escalation.raised", "wiggum.break", "gate.decided",
		"violation.detected", "warning.issued", "clarification.requested", "clarification.defaulted",
		"policy.budget", "policy.checkpoint", "correction.issued", "halt.ignored",
	}, got)
}

func TestInputIDDependsOnWhatIsSaid(t *testing.T) {
	first := events.InputID(sessionevents.TypeTurnRaw, "s", "t", []byte("x"))
	require.Equal(t, first, events.InputID(sessionevents.TypeTurnRaw, "s", "t", []byte("x")))
	for _, other := range []string{
		events.InputID(sessionevents.TypeTurnRaw, "s", "t", []byte("y")), events.InputID(sessionevents.TypeTurnRaw, "s", "u", []byte("x")),
		events.InputID(sessionevents.TypeTurnRaw, "st", "", []byte("x")), events.InputID(sessionevents.TypeSessionClosed, "s", "t", []byte("x")),
	} {
		require.NotEqual(t, first, other)
	}
	require.NotEqual(t, events.Event{Source: "/a", ID: "b c"}.MessageID(), events.Event{Source: "/a b", ID: "c"}.MessageID())
}
