package publish

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// EV-10: offline the actor's kind stands for the credential; what a log writes
// into the attribute counts for nothing.
func TestALogCannotGiveItselfACredential(t *testing.T) {
	e, err := Prepare(events.Event{
		Type: runevents.TypePlanApproved, Subject: "r", Credential: events.RoleOperator,
		Data: &runevents.PlanApproved{Actor: runevents.Actor{Kind: runevents.ActorOrchestrator}},
	})
	require.NoError(t, err)
	require.Empty(t, e.Credential)
	require.Equal(t, "r", e.Correlation)
	require.Equal(t, events.RolePublisher, events.ClaimedRole(e))
}
