package client_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// EV-3: oversized tool output is cut with a visible mark that carries the
// original's size and hash; nothing else changes.
func TestOversizedOutputIsShortened(t *testing.T) {
	b := newBench(t)
	p := newPublisher(t, b.conn)
	output := strings.Repeat("zeile ä🚀\n", 600_000) // 8.4 MB
	big := turn(1)
	big.Blocks = []sessionevents.Block{
		{Type: sessionevents.BlockText, Text: strings.Repeat("x", 100_000)},
		{Type: sessionevents.BlockToolResult, ID: "c1", Output: output},
		{Type: sessionevents.BlockToolResult, ID: "c2", Output: "small"},
	}
	receipt, err := p.Turn(t.Context(), big)
	require.NoError(t, err)
	require.Equal(t, 1, receipt.Shortened)
	require.Equal(t, output, big.Blocks[1].Output, "the caller's turn was changed")

	stored := b.input(t)[0]
	e, err := events.DecodeMessage(stored.Header, stored.Data)
	require.NoError(t, err)
	blocks := e.Data.(*sessionevents.Turn).Blocks
	require.Equal(t, big.Blocks[0], blocks[0])
	require.Equal(t, big.Blocks[2], blocks[2])
	short := blocks[1].Output
	require.Contains(t, short, fmt.Sprintf("‹shortened by scaffoldwatch: original %d bytes, sha256 %x›", len(output), sha256.Sum256([]byte(output))))
	head, tail, _ := strings.Cut(short, "\n‹shortened")
	_, tail, _ = strings.Cut(tail, "›\n")
	require.True(t, strings.HasPrefix(output, head) && strings.HasSuffix(output, tail))
	require.Greater(t, len(head), 100_000)
	require.True(t, utf8.ValidString(head) && utf8.ValidString(tail), "cut inside a character")

	again, err := p.Turn(t.Context(), big)
	require.NoError(t, err)
	require.Equal(t, stored.Header.Get("ce-id"), again.ID, "the same turn is shortened in the same way")
}

func TestManyOutputsAreShortenedFurther(t *testing.T) {
	var many sessionevents.Turn
	for i := range 200 {
		many.Blocks = append(many.Blocks, sessionevents.Block{Type: sessionevents.BlockToolResult, Output: strings.Repeat(fmt.Sprint(i%10), 100_000)})
	}
	short, count, err := client.ShortenTurn(many, 1<<20)
	require.NoError(t, err)
	require.Equal(t, 200, count)
	data, err := json.Marshal(short)
	require.NoError(t, err)
	require.LessOrEqual(t, len(data), 1<<20)
}

func TestNativeTurnIsShortened(t *testing.T) {
	native := map[string]any{"message": map[string]any{"n": json.Number("12345678901234567890"), "html": "<b>", "parts": []any{strings.Repeat("y", 3<<20), "kept"}}}
	raw, err := json.Marshal(native)
	require.NoError(t, err)
	short, count, err := client.ShortenTurn(sessionevents.Turn{Session: "s", TurnID: "t", Format: "codex", Native: raw}, 1<<20)
	require.NoError(t, err)
	require.Equal(t, 1, count)
	require.Less(t, len(short.Native), 1<<20)
	require.Contains(t, string(short.Native), "original 3145728 bytes")
	require.Contains(t, string(short.Native), `"kept"`)
	require.Contains(t, string(short.Native), `12345678901234567890`)
	require.Contains(t, string(short.Native), `<b>`)
}

func TestShortTurnsStayAsTheyAre(t *testing.T) {
	small := turn(1)
	got, count, err := client.ShortenTurn(small, 1<<20)
	require.NoError(t, err)
	require.Zero(t, count)
	require.Equal(t, small, got)
}

// What an agent wrote itself is never cut: such a turn is refused with a cure.
func TestOversizedTextIsRefused(t *testing.T) {
	b := newBench(t)
	p := newPublisher(t, b.conn)
	_, err := p.Turn(t.Context(), sessionevents.Turn{Session: "s", TurnID: "t", Format: "markdown", Text: strings.Repeat("x", 5<<20)})
	var refused *invalid.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, invalid.TooLarge, refused.Code)
}
