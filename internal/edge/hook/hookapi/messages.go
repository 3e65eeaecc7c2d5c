package hookapi

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
)

const (
	maxShown   = 4096      // messages that are being streamed at the same time
	maxMessage = 256 << 10 // size of a message, in bytes, at which it is recorded as it is
	maxHeld    = 64 << 20  // total of all messages, in bytes
	pieceBytes = 64        // overhead of a piece beside its text, in bytes
)

// messages joins the pieces in which an agent streams its output, so that no event contains half of a
// secret (SW-7). Pieces that are pending when the process ends are lost, as docs/hooks.md says.
type messages struct {
	mu   sync.Mutex
	open map[string]*message // by session
	held int                 // total bytes
}

type message struct {
	id      string
	payload json.RawMessage // payload of its first piece
	pieces  []hook.Chunk
	bytes   int // size of the payload and the pieces, which may be empty
}

func newMessages() *messages { return &messages{open: map[string]*message{}} }

// take returns what is to be recorded now: the message that preceded this call, if the call ends it, and
// the call's own payload, nil for a piece that is kept.
func (m *messages) take(session string, piece *hook.Chunk, payload json.RawMessage) (before, own json.RawMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	shown := m.open[session]
	if shown != nil && (piece == nil || piece.Message != shown.id) {
		before = m.close(session)
		shown = nil
	}
	switch {
	case piece == nil, shown == nil && (piece.Final || len(m.open) >= maxShown || m.held+len(payload) > maxHeld):
		return before, payload
	case shown == nil:
		shown = &message{id: piece.Message, payload: payload}
		m.open[session] = shown
		m.grow(shown, len(payload))
	}
	shown.pieces = append(shown.pieces, *piece)
	m.grow(shown, len(piece.Text)+pieceBytes)
	if piece.Final || shown.bytes > maxMessage || m.held > maxHeld {
		return before, m.close(session)
	}
	return before, nil
}

func (m *messages) grow(shown *message, n int) {
	shown.bytes += n
	m.held += n
}

// close ends a session's message and returns it completely.
func (m *messages) close(session string) json.RawMessage {
	shown := m.open[session]
	delete(m.open, session)
	m.held -= shown.bytes
	return shown.joined()
}

// joined returns the payload of the whole message, nil if it is empty.
func (m *message) joined() json.RawMessage {
	slices.SortStableFunc(m.pieces, func(a, b hook.Chunk) int { return a.Index - b.Index })
	var text strings.Builder
	for _, p := range m.pieces {
		text.WriteString(p.Text)
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(m.payload, &fields) != nil {
		return m.payload // cannot happen: it was parsed before
	}
	delta, err := json.Marshal(text.String())
	if err != nil {
		return m.payload
	}
	fields["delta"], fields["index"], fields["final"] = delta, json.RawMessage("0"), json.RawMessage("true")
	whole, err := json.Marshal(fields)
	if err != nil {
		return m.payload
	}
	return whole
}
