package cli_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Whether an interrupt was heeded is a decision, which scan prints; what a publisher reports of a
// delivery is input (DP-21).
func TestJSONLinesPrintsHeed(t *testing.T) {
	for by, printed := range map[string]bool{budget.Judge: true, "claude-code": false} {
		var out bytes.Buffer
		delivery := &sessionevents.InterruptDelivery{Interrupt: "i", Session: "s", Turn: 3, State: sessionevents.DeliveryHeeded, By: by}
		event := events.Event{ID: "e", Source: "/test", Type: sessionevents.TypeInterruptDelivery, Subject: "s", Time: time.Unix(0, 0).UTC(), Data: delivery}
		require.NoError(t, cli.JSONLines(&out)(event))
		require.Equal(t, printed, out.Len() > 0, by)
	}
}
