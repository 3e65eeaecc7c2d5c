package all

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// fuzz reads arbitrary bytes as the format name, whatever they look like:
// nothing panics, the end comes, and what comes out is well formed (EV-3).
func fuzz(f *testing.F, name string) {
	for _, path := range fixtures(f) {
		if formatOf(path) == name {
			seed(f, path)
		}
	}
	for _, s := range []string{"", "{}", "[]", "null", `{"a":`, `[[[[`, `{"messages":[{}]}`, `{"kind":"session_started"}`, "{\"type\":\"user\",\"message\":{\"content\":[null,1,\"x\",{}]}}", "\xff\xfe{\"role\":\"user\"}"} {
		f.Add([]byte(s))
	}
	at := slices.IndexFunc(Formats(), func(each transcript.Format) bool { return each.Name == name })
	require.GreaterOrEqual(f, at, 0)
	format := Formats()[at]
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := format.Open(bytes.NewReader(data), transcript.Options{MaxRecord: 1 << 20}) // recognised or not
		require.NoError(t, err)
		var all []events.Event
		for {
			e, err := s.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			all = append(all, e)
			_, err = json.Marshal(e.Data)
			require.NoError(t, err)
		}
		if name != "cloudevents" {
			eachWellFormed(t, name, all)
		}
		_, _ = Formats().Recognise(data)
		_, _, _ = Formats().NativeBlocks(name, data)
	})
}

// seed adds a fixture whole and in damaged forms made here.
func seed(f *testing.F, path string) {
	data, err := os.ReadFile(path)
	require.NoError(f, err)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add(bytes.ReplaceAll(data, []byte(`"`), []byte(`'`)))
	f.Add(bytes.ReplaceAll(data, []byte(`{`), []byte(`[`)))
	f.Add(bytes.ReplaceAll(data, []byte("\n"), nil))
	f.Add(bytes.ReplaceAll(data, []byte(`ls`), []byte("\xff\xfe"))) // invalid UTF-8 inside a call
	f.Add(bytes.ReplaceAll(data, []byte(`a`), []byte("\xff")))
	f.Add(bytes.ReplaceAll(data, []byte(`{"`), []byte("{\"\xc0\xc0\":1,\""))) // in the name of a member that is kept
}

func FuzzClaudeCode(f *testing.F)   { fuzz(f, "claude-code") }
func FuzzCodex(f *testing.F)        { fuzz(f, "codex") }
func FuzzCopilot(f *testing.F)      { fuzz(f, "copilot") }
func FuzzGemini(f *testing.F)       { fuzz(f, "gemini") }
func FuzzQwen(f *testing.F)         { fuzz(f, "qwen") }
func FuzzSWEAgent(f *testing.F)     { fuzz(f, "swe-agent") }
func FuzzMiniSWEAgent(f *testing.F) { fuzz(f, "mini-swe-agent") }
func FuzzOpenHands(f *testing.F)    { fuzz(f, "openhands") }
func FuzzKimi(f *testing.F)         { fuzz(f, "kimi") }
func FuzzAntigravity(f *testing.F)  { fuzz(f, "antigravity") }
func FuzzOpenCode(f *testing.F)     { fuzz(f, "opencode") }
func FuzzChat(f *testing.F)         { fuzz(f, "chat") }
func FuzzDroid(f *testing.F)        { fuzz(f, "droid") }
func FuzzCloudEvents(f *testing.F)  { fuzz(f, "cloudevents") }
func FuzzArcheFlow(f *testing.F)    { fuzz(f, "archeflow") }
func FuzzScoutAndWave(f *testing.F) { fuzz(f, "scout-and-wave") }
func FuzzWorkRail(f *testing.F)     { fuzz(f, "workrail") }
func FuzzWorkSegment(f *testing.F)  { fuzz(f, "workrail-segment") }
func FuzzWorkPipeline(f *testing.F) { fuzz(f, "workrail-pipeline") }
func FuzzWorkTrain(f *testing.F)    { fuzz(f, "worktrain") }
func FuzzRalph(f *testing.F)        { fuzz(f, "ralph") }
func FuzzMetadata(f *testing.F)     { fuzz(f, "session-metadata") }
func FuzzSpecStory(f *testing.F)    { fuzz(f, "specstory") }
func FuzzAider(f *testing.F)        { fuzz(f, "aider") }
func FuzzCodexExec(f *testing.F)    { fuzz(f, "codex-exec") }
func FuzzCopilotChat(f *testing.F)  { fuzz(f, "copilot-chat") }
func FuzzATIF(f *testing.F)         { fuzz(f, "atif") }
func FuzzKiro(f *testing.F)         { fuzz(f, "kiro") }
func FuzzACP(f *testing.F)          { fuzz(f, "acp") }
func FuzzAmp(f *testing.F)          { fuzz(f, "amp") }
func FuzzGoose(f *testing.F)        { fuzz(f, "goose") }
func FuzzCline(f *testing.F)        { fuzz(f, "cline") }
func FuzzMarkdown(f *testing.F)     { fuzz(f, "markdown") }
func FuzzDSH(f *testing.F)          { fuzz(f, "dsh") }
func FuzzCrush(f *testing.F)        { fuzz(f, "crush") }
func FuzzMuse(f *testing.F)         { fuzz(f, "muse") }
