package mailbox

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// CO-9: what a subagent is told at 4.0 or as a denial its parent hears once; what is less urgent, and
// what a session of its own is told, nobody else hears.
func TestParentsHearOfSubagents(t *testing.T) {
	m := New()
	fire := func(session, id, message string, urgency sessionevents.Urgency) {
		m.Apply(events.Event{Subject: session, PartitionKey: "s1", Data: &sessionevents.InterruptFired{
			ID: id, Session: session, Turn: 2, Detector: "B1", Message: message, Urgency: urgency, Layer: sessionevents.LayerSession,
		}})
	}
	fire("s1-agent-a1", "i0", "A key is in old.py.", 40)
	require.Empty(t, m.Heard("s1"), "it was said before the mailbox knew what is new")
	m.CatchUp()
	fire("s1-agent-a1", "i1abcdefg", "A key is in a.py.", 40)
	fire("s1-agent-a1", "i2", "A key is in a.py.", 40)
	fire("s1-agent-a1", "i3", "A helper is there already.", 39)
	fire("s1", "i4", "A key is in b.py.", 50)
	require.Equal(t, []string{"Subagent a1 was told: A key is in a.py. (B1 · i1abcd)"}, m.Heard("s1"))
	require.Empty(t, m.Heard("s1"), "once")
	require.NotNil(t, m.Next("s1-agent-a1"), "the subagent is told itself")

	m.Denied(Denial{Session: "s1-agent-a1", Detector: "B1", Text: "A key is in c.py.", Refused: true})
	fire("s1-agent-a1", "i5", "A key is in c.py.", 40)
	require.Equal(t, []string{"Subagent a1 was denied a call: A key is in c.py."}, m.Heard("s1"))
	m.Denied(Denial{Session: "s1-agent-a1", Detector: "B1", Text: "A key is in d.py."})
	require.Empty(t, m.Heard("s1"), "a warning is no denial")
	m.Apply(events.Event{Subject: "s1-agent-a1", PartitionKey: "s1", Data: &sessionevents.InterruptFired{
		ID: "i9", Session: "s1-agent-a1", Detector: "B1", UrgencyLabel: "B1-ESCALATE", Message: "A key is in e.py.", Urgency: 20,
	}})
	require.Equal(t, []string{"Subagent a1 was told: A key is in e.py."}, m.Heard("s1"), "whatever its urgency")
	for i := range 3 * maxHeard {
		fire("s1-agent-a1", fmt.Sprint("many", i), fmt.Sprint("A key is in ", i), 40)
	}
	require.Len(t, m.Heard("s1"), maxHeard)
}
