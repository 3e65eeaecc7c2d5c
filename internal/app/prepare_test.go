package app

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// EV-10: offline the actor's kind stands for the credential; what a log writes
// into the attribute counts for nothing.
func TestALogCannotGiveItselfACredential(t *testing.T) {
	e, err := Prepare(events.Event{
		Type: events.TypePlanApproved, Subject: "r", Credential: events.RoleOperator,
		Data: &events.PlanApproved{Actor: events.Actor{Kind: events.ActorOrchestrator}},
	})
	require.NoError(t, err)
	require.Empty(t, e.Credential)
	require.Equal(t, "r", e.Correlation)
	require.Equal(t, events.RolePublisher, events.ClaimedRole(e))
}
