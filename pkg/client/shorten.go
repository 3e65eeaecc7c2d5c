package client

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// keepSizes are the sizes, in bytes, to which each oversized text is cut, tried in turn.
var keepSizes = []int{256 << 10, 64 << 10, 16 << 10, 4 << 10, 1 << 10}

// ShortenTurn cuts tool output until the turn's JSON is at most limit bytes (EV-3): the
// middle of each long output is replaced by a mark that carries the original's size and
// SHA-256. It returns the turn and how many outputs were cut; the same turn always gives
// the same result. The caller's turn is not changed. In a native turn every long text
// counts as output, since only the agent's adapter can tell them apart. A turn that is
// still too large is left for validation to refuse.
func ShortenTurn(turn sessionevents.Turn, limit int) (sessionevents.Turn, int, error) {
	size, err := jsonSize(turn)
	if err != nil || size <= limit {
		return turn, 0, err
	}
	best, count := turn, 0
	for _, keep := range keepSizes {
		if best, count, err = shortenTo(turn, keep); err != nil {
			return turn, 0, err
		}
		if size, err = jsonSize(best); err != nil || size <= limit {
			return best, count, err
		}
	}
	return best, count, nil
}

func jsonSize(turn sessionevents.Turn) (int, error) {
	data, err := json.Marshal(turn)
	if err != nil {
		return 0, fmt.Errorf("encode the turn: %w", err)
	}
	return len(data), nil
}

func shortenTo(turn sessionevents.Turn, keep int) (sessionevents.Turn, int, error) {
	count := 0
	cut := func(text string) string {
		short := shortenText(text, keep)
		if len(short) != len(text) {
			count++
		}
		return short
	}
	blocks := make([]sessionevents.Block, len(turn.Blocks))
	for i, b := range turn.Blocks {
		b.Output = cut(b.Output)
		blocks[i] = b
	}
	if turn.Blocks != nil {
		turn.Blocks = blocks
	}
	if len(turn.Native) > 0 {
		native, err := shortenNative(turn.Native, cut)
		if err != nil {
			return turn, 0, err
		}
		turn.Native = native
	}
	return turn, count, nil
}

// shortenText keeps the first and last keep/2 bytes, cut between runes.
func shortenText(s string, keep int) string {
	head, tail := text.Head(s, keep/2), text.Tail(s, keep/2)
	mark := fmt.Sprintf("\n‹shortened by scaffoldwatch: original %d bytes, sha256 %x›\n", len(s), sha256.Sum256([]byte(s)))
	if len(s)-len(head)-len(tail) <= len(mark) {
		return s // cutting would not make it shorter
	}
	return head + mark + tail
}

// shortenNative applies cut to every text value of a JSON document.
func shortenNative(native json.RawMessage, cut func(string) string) (json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(native))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("read the native turn: %w", err)
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(shortenValue(value, cut)); err != nil {
		return nil, fmt.Errorf("write the native turn: %w", err)
	}
	return json.RawMessage(strings.TrimSuffix(out.String(), "\n")), nil
}

func shortenValue(value any, cut func(string) string) any {
	switch v := value.(type) {
	case string:
		return cut(v)
	case []any:
		for i := range v {
			v[i] = shortenValue(v[i], cut)
		}
	case map[string]any:
		for k := range v {
			v[k] = shortenValue(v[k], cut)
		}
	}
	return value
}
