package mailbox

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// What an agent was told as a denial is not said again as an interrupt; that it was
// said is recorded (DP-24).
func TestADenialIsNotSaidAgain(t *testing.T) {
	m := New()
	m.CatchUp()
	m.Denied(Denial{Session: "s1", Detector: "B1", Text: "A key is in a.py.", Channel: "hook:codex:PreToolUse"})
	fire := func(id, detector, message string) {
		m.Apply(events.Event{
			Subject: "s1",
			Data:    &sessionevents.InterruptFired{ID: id, Session: "s1", Turn: 2, Detector: detector, Message: message},
		})
	}
	fire("i1", "B1", "A key is in a.py.")
	require.Nil(t, m.Next("s1"))
	facts := m.Settled()
	require.Len(t, facts, 1)
	require.Equal(t, sessionevents.InterruptDelivery{
		Interrupt: "i1", Session: "s1", Turn: 2, State: sessionevents.DeliveryEmitted, Channel: "hook:codex:PreToolUse", By: By,
	}, facts[0].InterruptDelivery)
	require.Equal(t, sessionevents.DeliveryAcked, m.Progress("s1", hook.PointStop)[0].State, "the model went on after it")

	fire("i2", "B1", "A key is in a.py. (Seen 2 times.)")
	require.Nil(t, m.Next("s1"))
	fire("i3", "B1", "A key is in b.py.")
	require.Equal(t, "i3", m.Next("s1").ID, "another finding is said")
	fire("i4", "B2", "A key is in a.py.")
	m.Apply(events.Event{
		Subject: "s1",
		Data:    &sessionevents.InterruptDelivery{Interrupt: "i3", Session: "s1", State: sessionevents.DeliveryDismissed},
	})
	require.Equal(t, "i4", m.Next("s1").ID, "as is one of another detector")
}

func TestDenialsAreBounded(t *testing.T) {
	m := New()
	for range 3 * maxDenials {
		m.Denied(Denial{Session: "s1", Detector: "B1", Text: "x"})
	}
	require.Len(t, m.boxes.known("s1").denials, maxDenials)
}
