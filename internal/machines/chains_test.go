package machines

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Each group keeps to the rules of its workspace.
func TestChainsKeepGroupsApart(t *testing.T) {
	options := Options{Rules: rules.Default()}
	core, err := New(options)
	require.NoError(t, err)
	chains := core.Chains(options)
	always := "userrules: {detectors: [{id: U-always, title: T, class: A, on: turn, when: 'true', message: Look., cost: 1, p: 0.5, confidence: 0.5}]}"
	set, err := rules.Load("ours.yaml", []byte(always))
	require.NoError(t, err)
	require.NoError(t, chains.Choose("s2", set))
	require.NoError(t, chains.Choose("s3", set))
	require.Len(t, chains.list, 2, "one chain for one set of rules")
	signals := map[string]int{}
	for _, session := range []string{"s1", "s2", "s1", "s3"} {
		e := events.Event{ID: "t-" + session, Source: "/test", Type: sessionevents.TypeTurnRaw, Subject: session, Data: &sessionevents.Turn{
			Session: session, TurnID: "1", Format: "blocks", Blocks: []sessionevents.Block{{Type: sessionevents.BlockText, Text: "Hello."}},
		}}
		e.ID += fmt.Sprint(len(signals))
		e, err := publish.Prepare(e)
		require.NoError(t, err)
		for _, decided := range chains.Feed(e) {
			if decided.Type == sessionevents.TypeSignalDetected {
				signals[session]++
			}
		}
	}
	require.Equal(t, map[string]int{"s2": 1, "s3": 1}, signals)
	require.NoError(t, chains.Choose("s1", set), "its chain is chosen already")
	require.Same(t, chains.usual, chains.groups["s1"])
	require.Empty(t, chains.DeadLetters())
	wrong, err := rules.Load("ours.yaml", []byte("userrules: {detectors: [{id: x}]}"))
	require.NoError(t, err)
	require.ErrorContains(t, chains.Choose("s9", wrong), "the workspace's rules: ours.yaml:1")
}
