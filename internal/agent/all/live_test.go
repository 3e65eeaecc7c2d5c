package all

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// TestLiveCompletesATurnWhenItsCallsAreAnswered settles only what is whole
// (SW-1), and gives the turn before the next response begins.
func TestLiveCompletesATurnWhenItsCallsAreAnswered(t *testing.T) {
	format, err := Formats().Turns("claude-code")
	require.NoError(t, err)
	live := format.Live("fallback", transcript.Options{Run: "r1"})
	feed := func(line string) []events.Event {
		require.NoError(t, live.Record([]byte(line)))
		live.Settle()
		return live.Take()
	}
	require.Empty(t, feed(`{"type":"user","sessionId":"s1","message":{"role":"user","content":"list the shops"}}`))
	require.Error(t, live.Record([]byte(`{`)))
	require.Empty(t, feed(`{"type":"assistant","sessionId":"s1","message":{"id":"m1","content":[{"type":"tool_use","id":"a","name":"Bash","input":{}},{"type":"tool_use","id":"b","name":"Bash","input":{}}]}}`))
	require.Empty(t, feed(`{"type":"user","sessionId":"s1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}}`))
	got := feed(`{"type":"user","sessionId":"s1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"y"}]}}`)
	require.Len(t, got, 2)
	require.Equal(t, events.Type(sessionevents.TypeSessionOpened), got[0].Type)
	turn := got[1].Data.(*sessionevents.Turn)
	require.Equal(t, "s1", turn.Session)
	require.Equal(t, "r1", turn.Run)
	require.Len(t, turn.Blocks, 5)

	require.NoError(t, live.Record([]byte(`{"type":"assistant","sessionId":"s1","message":{"id":"m2","content":[{"type":"tool_use","id":"c","name":"Bash","input":{}}]}}`)))
	live.Flush() // the agent died: what was said stays
	require.Len(t, live.Take(), 1)

	_, err = Formats().Turns("nosuch")
	require.ErrorIs(t, err, transcript.ErrUnknown)
}
