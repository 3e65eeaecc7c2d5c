package ledger_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever an edit writes, the words that are kept of it are bounded in number and length.
func TestWordsOfEditsAreBounded(t *testing.T) {
	p := newPlayer(t)
	p.play(edits("a.go"))
	before, err := json.Marshal(p.ledger.Edited)
	require.NoError(t, err)
	p.play(writes("bundle.js", strings.Repeat("x", 1<<20)))
	after, err := json.Marshal(p.ledger.Edited)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "what no claim can name is not kept")
	var names []string
	for i := range 2000 {
		names = append(names, fmt.Sprintf("%060d", i))
	}
	p.play(writes("names.go", strings.Join(names, "\n")))
	require.Len(t, p.ledger.Edited, 512)
	for _, e := range p.ledger.Edited {
		require.LessOrEqual(t, len(e), 65)
	}
}
