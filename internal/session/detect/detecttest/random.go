package detecttest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/scenario"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// RunRandom plays random conversations built from the given texts. A detector must not
// panic, must emit the same signals if its state passes through a snapshot at every turn
// (EV-2), unique ids, and messages of at most 40 words (SW-30).
func RunRandom(t *testing.T, detector *detect.Detector, texts []string) {
	t.Helper()
	set := rules.Default()
	suite, err := detect.NewSuite([]*detect.Detector{detector}, set)
	require.NoError(t, err)
	first, sent := NewSession(t, set, nil), 0
	// Five hundred histories can all be silent by chance, of a detector that speaks after many turns; five
	// thousand cannot.
	for range 50 {
		rapid.Check(t, func(r *rapid.T) { sent += conversation(r, suite, first, texts) })
		if sent > 0 {
			return
		}
	}
	require.Positive(t, sent, "the texts make the detector speak")
}

// conversation plays one random history live and from snapshots, which must agree, and
// returns the number of signals.
func conversation(r *rapid.T, suite *detect.Suite, first *Session, texts []string) int {
	sent := 0
	session := first.fresh()
	live, stored := suite.NewMemory(), suite.NewMemory()
	for range rapid.IntRange(1, 8).Draw(r, "turns") {
		turn := &sessionevents.Turn{Session: "s", Blocks: drawBlocks(r, texts), Compacted: rapid.Bool().Draw(r, "compacted")}
		pass := session.Next(turn)
		one, two := suite.Evaluate(pass, live), suite.Evaluate(pass, stored)
		require.Equal(r, encoded(r, one), encoded(r, two))
		require.Empty(r, one.Shortened)
		sent += len(one.Signals)
		ids := map[string]bool{}
		for _, s := range one.Signals {
			require.False(r, ids[s.ID], "id twice")
			ids[s.ID] = true
		}
		session.Commit(pass)
		data, err := suite.EncodeMemory(stored)
		require.NoError(r, err)
		stored, err = suite.DecodeMemory(data)
		require.NoError(r, err)
	}
	return sent
}

func encoded(t require.TestingT, v any) string {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

// drawBlocks draws a turn's statements as a script would build them.
func drawBlocks(r *rapid.T, texts []string) []sessionevents.Block {
	p := &scenario.Blocks{}
	text := rapid.OneOf(rapid.SampledFrom(texts), rapid.SampledFrom(texts), rapid.String())
	path := rapid.SampledFrom([]string{"a.py", "src/b.ts", "test_a.py", "package.json", ""})
	for range rapid.IntRange(0, 5).Draw(r, "statements") {
		words := text.Draw(r, "text")
		switch rapid.IntRange(0, 7).Draw(r, "verb") {
		case 0:
			p.Say(sessionevents.BlockUser, words, "")
		case 1:
			p.Say(sessionevents.BlockText, words, "")
		case 2:
			p.Say(sessionevents.BlockThinking, words, "")
		case 3:
			p.Call("Read", scenario.Arguments{"file_path": path.Draw(r, "path"), "offset": rapid.IntRange(-1, 9).Draw(r, "offset")}, words)
		case 4:
			p.Call("Grep", scenario.Arguments{"pattern": words, "path": "src"}, words)
		case 5:
			p.Call("Bash", scenario.Arguments{"command": words}, words)
		case 6:
			p.Call("Write", scenario.Arguments{"file_path": path.Draw(r, "path"), "content": words}, "")
		case 7:
			p.Call("Edit", scenario.Arguments{"file_path": path.Draw(r, "path"), "old_string": "", "new_string": words}, "")
		}
	}
	return p.List
}
