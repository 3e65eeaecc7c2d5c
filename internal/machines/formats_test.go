package machines

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// IN-4: the fixture of each format holds a fault that must be found: tests that fail beside
// "all tests pass" (E1), or a reset over uncommitted work (E3).
func TestPlantedFaultsOfFormatsAreFound(t *testing.T) {
	options := Options{Rules: rules.Default()}
	core, err := New(options)
	require.NoError(t, err)
	for fixture, want := range map[string]string{
		"specstory/testdata/specstory-claude.md":          "E1",
		"specstory/testdata/specstory-codex.md":           "E3",
		"specstory/testdata/specstory-cursor.md":          "E1",
		"specstory/testdata/specstory-gemini.md":          "E1",
		"codex/testdata/codex-exec.jsonl":                 "E1",
		"opencode/testdata/opencode-run.jsonl":            "E1",
		"opencode/testdata/opencode-rows.jsonl":           "E3",
		"goose/testdata/goose.json":                       "E3",
		"goose/testdata/goose-stream.jsonl":               "E1",
		"amp/testdata/amp.json":                           "E1",
		"kiro/testdata/kiro.jsonl":                        "E1",
		"acp/testdata/acp.jsonl":                          "E1",
		"atif/testdata/atif.json":                         "E3",
		"aider/testdata/aider.chat.history.md":            "E3",
		"cline/testdata/cline.json":                       "E1",
		"crush/testdata/crush.json":                       "E3",
		"dsh/testdata/dsh.jsonl":                          "E1",
		"muse/testdata/muse.jsonl":                        "E1",
		"copilotchat/testdata/copilot-chat.json":          "E1",
		"copilotchat/testdata/copilot-chat-journal.jsonl": "E3",
	} {
		t.Run(filepath.Base(fixture), func(t *testing.T) {
			file, err := os.Open(filepath.Join("..", "agent", filepath.FromSlash(fixture)))
			require.NoError(t, err)
			defer file.Close()
			source, err := agents.Formats().Open(file, transcript.Options{})
			require.NoError(t, err)
			chains := core.Chains(options)
			var found []string
			for {
				e, err := source.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				e, err = publish.Prepare(e)
				require.NoError(t, err)
				for _, decided := range chains.Feed(e) {
					if s, is := decided.Data.(*sessionevents.Signal); is && s.Suppressed == "" {
						found = append(found, s.Detector+" "+s.Subclass+": "+s.Message)
					}
				}
			}
			t.Log(found)
			require.True(t, slices.ContainsFunc(found, func(f string) bool { return f[:2] == want }), "%s; "+
				"found %q", want, found)
			require.Empty(t, chains.DeadLetters())
		})
	}
}
