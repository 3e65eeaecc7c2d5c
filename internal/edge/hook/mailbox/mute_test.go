package mailbox

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func mute(session, details string) events.Event {
	return decision("m", &runevents.OperatorAct{Act: runevents.ActMute, Session: session, By: "ann", Why: "a demo", Details: json.RawMessage(details)})
}

// inGroup puts an event into a group (EV-4).
func inGroup(group string, e events.Event) events.Event {
	e.PartitionKey = group
	return e
}

func TestMutesOfASession(t *testing.T) { // DP-25
	m := ready()
	m.Apply(evaluated(4, ""))
	m.Apply(mute("s", `{"scope":"detector","detector":"B1","turns":2}`))
	m.Apply(mute("s", `{"scope":"no such"}`))
	mutes, turn := m.Mutes("s", "s", "")
	require.Equal(t, []budget.Mute{{Scope: runevents.MuteDetector, Detector: "B1", UntilTurn: 6, By: "ann", Reason: "a demo"}}, mutes)
	require.Equal(t, 5, turn)
	other, turn := m.Mutes("other", "other", "")
	require.Empty(t, other)
	require.Equal(t, 1, turn)

	m.Apply(decision("c", &sessionevents.SessionClosed{Session: "s"}))
	mutes, _ = m.Mutes("s", "s", "")
	require.Len(t, mutes, 1, "a session may go on after its end")
	for range maxMutes + 3 {
		m.Apply(mute("s", `{"scope":"session"}`))
	}
	mutes, _ = m.Mutes("s", "s", "")
	require.Len(t, mutes, maxMutes)
}

func TestMutesOfAGroup(t *testing.T) { // DP-25
	m := ready()
	m.Apply(inGroup("r", evaluated(3, "")))
	m.Apply(inGroup("r", mute("", `{"scope":"detector","detector":"B1","turns":1}`)))
	known, _ := m.Mutes("s", "s", "r")
	require.Len(t, known, 1)
	require.Equal(t, 4, known[0].UntilTurn)
	for _, late := range [][]string{{"x", "x", "r"}, {"x", "r", ""}} { // by its run; a subagent by its parent
		mutes, _ := m.Mutes(late[0], late[1], late[2])
		require.Len(t, mutes, 1)
		require.Equal(t, 1, mutes[0].UntilTurn, "counted from the session's beginning")
	}
	m.Apply(inGroup("r", decision("f", &sessionevents.InterruptFired{Session: "x", Run: "r", ID: "i", Turn: 1})))
	mutes, _ := m.Mutes("x", "x", "")
	require.Len(t, mutes, 1, "it keeps those of its group")
	mutes, _ = m.Mutes("y", "y", "other")
	require.Empty(t, mutes)
	for i := range maxGroups + 3 {
		m.Apply(inGroup(fmt.Sprint("g", i), mute("", `{"scope":"session"}`)))
	}
	require.Len(t, m.boxes.mutes, maxGroups)
}
