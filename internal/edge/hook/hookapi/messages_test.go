package hookapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

func piece(id string, index int, text string, final bool) (*hook.Chunk, json.RawMessage) {
	raw, err := json.Marshal(map[string]any{"message_id": id, "index": index, "delta": text, "final": final, "session_id": "s"})
	if err != nil {
		panic(err)
	}
	return &hook.Chunk{Message: id, Index: index, Text: text, Final: final}, raw
}

// text returns the text of a joined message.
func text(t *testing.T, raw json.RawMessage) string {
	var p struct {
		Delta string
		Final bool
		Index int
		ID    string `json:"message_id"`
	}
	require.NoError(t, json.Unmarshal(raw, &p))
	require.True(t, p.Final)
	require.Zero(t, p.Index)
	return p.ID + ":" + p.Delta
}

func TestMessagesAreJoined(t *testing.T) { // SW-7
	m := newMessages()
	take := func(c *hook.Chunk, raw json.RawMessage) (json.RawMessage, json.RawMessage) {
		return m.take("s", c, raw)
	}

	before, own := take(piece("a", 1, "two\n", false))
	require.Nil(t, before)
	require.Nil(t, own)
	_, own = take(piece("a", 0, "one\n", false))
	require.Nil(t, own)
	before, own = take(piece("a", 2, "three", true))
	require.Nil(t, before)
	require.Equal(t, "a:one\ntwo\nthree", text(t, own), "in their order, not in that of coming")

	take(piece("b", 0, "half", false))
	before, own = take(piece("c", 0, "whole", true))
	require.Equal(t, "b:half", text(t, before), "another message ends the one before")
	require.Equal(t, "c:whole", text(t, own))

	take(piece("d", 0, "shown", false))
	before, own = m.take("s", nil, json.RawMessage(`{"x":1}`))
	require.Equal(t, "d:shown", text(t, before), "as does any other hook")
	require.JSONEq(t, `{"x":1}`, string(own))
	require.Empty(t, m.open)
}

func TestMessagesAreBounded(t *testing.T) {
	m := newMessages()
	_, own := m.take("s", first(piece("a", 0, strings.Repeat("x", maxMessage+1), false)), json.RawMessage(`{}`))
	require.NotNil(t, own, "a long one is taken as it is")
	for i := range maxShown {
		c, raw := piece("a", 0, "x", false)
		m.take(fmt.Sprint(i), c, raw)
	}
	c, raw := piece("a", 0, "x", false)
	_, own = m.take("one more", c, raw)
	require.NotNil(t, own)
	require.Len(t, m.open, maxShown)
}

// Neither pieces without text nor what stands beside the text lets memory grow.
func TestMessagesCountAllTheirBytes(t *testing.T) {
	m, empty := newMessages(), 0
	for own := json.RawMessage(nil); own == nil; empty++ {
		c, raw := piece("a", empty, "", false)
		_, own = m.take("s", c, raw)
		require.LessOrEqual(t, empty, maxMessage/pieceBytes)
	}
	require.Zero(t, m.held)

	wide := json.RawMessage(`{"x":"` + strings.Repeat("x", maxMessage-1024) + `"}`)
	for i := range 2 * maxHeld / maxMessage {
		c, _ := piece("a", 0, "x", false)
		m.take(fmt.Sprint(i), c, wide)
		require.LessOrEqual(t, m.held, maxHeld+maxMessage)
	}
	require.Less(t, len(m.open), maxHeld/maxMessage+2)
	for session := range m.open {
		m.take(session, nil, json.RawMessage(`{}`))
	}
	require.Zero(t, m.held)
}

func first(c *hook.Chunk, _ json.RawMessage) *hook.Chunk { return c }

func TestLongPayloadsAreShortened(t *testing.T) { // EV-3
	raw, err := json.Marshal(map[string]any{"tool_name": "Read", "tool_response": strings.Repeat("x", 6<<20)})
	require.NoError(t, err)
	short, err := shortened(raw)
	require.NoError(t, err)
	require.Less(t, len(short), events.DefaultLimits().Data)
	require.Contains(t, string(short), "shortened by scaffoldwatch: original 6291456 bytes")
}
