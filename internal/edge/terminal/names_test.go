package terminal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// A feed shows the project beside a short id, and a subagent below its parent: never two
// sessions that look alike.
func TestAFeedTellsSessionsApart(t *testing.T) {
	const parent = "03a1382e-ecd5-42c4-b3d4-5c659e165904"
	var names Names
	open := func(id, workspace string) string {
		return names.Of(events.Event{Subject: id, Data: &sessionevents.SessionOpened{Session: id, Workspace: workspace}})
	}
	of := func(id string) string { return strings.TrimSpace(names.Of(events.Event{Subject: id})) }
	require.Equal(t, "shop 03a138       ", open(parent, "/home/me/shop"))
	require.Equal(t, "shop 03a138", of(parent), "later events name no workspace")
	require.Equal(t, "shop 03a138/c7f2d1", of(parent+"-agent-c7f2d1e0aa"))
	require.Equal(t, "sh… 03a138/c7f2d1e", of(parent+"-agent-c7f2d1e0bb"), "another subagent that begins alike")
	require.Equal(t, "03a1382", strings.TrimSpace(open("03a1382f-0000-42c4-b3d4-5c659e165904", "")))
	require.Equal(t, "nightly", of("nightly"))
	require.Equal(t, "till 7a81c0", strings.TrimSpace(names.Of(events.Event{
		Subject: "7a81c0de-0000-42c4-b3d4-5c659e165904", Data: &sessionevents.GuardDecided{Workspace: "/home/me/till"},
	})), "known from the guard alone")
	require.Equal(t, "the-long-n… 5b8e01", strings.TrimSpace(open("5b8e01aa-0000-42c4-b3d4-5c659e165904", "/home/me/the-long-name-of-a-project")))
	seen := map[string]string{}
	for a := range 26 {
		for b := range 26 {
			id := "session-of-the-night-" + string(rune('a'+a)) + string(rune('a'+b))
			label := of(id)
			require.Empty(t, seen[label], label)
			seen[label] = id
		}
	}
}
