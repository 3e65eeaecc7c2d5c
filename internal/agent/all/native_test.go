package all

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// The native form of one turn gives the blocks that the transcript gives.
func TestNativeBlocksMatchTheTranscript(t *testing.T) {
	data, err := os.ReadFile("../claudecode/testdata/claude-code.jsonl")
	require.NoError(t, err)
	lines := bytes.Split(data, []byte("\n"))
	native := append([]byte("["), bytes.Join(lines[1:8], []byte(","))...)
	native = append(native, ']')
	got, _, err := Formats().NativeBlocks("claude-code", native)
	require.NoError(t, err)
	_, all := drain(t, bytes.NewReader(data), transcript.Options{})
	require.Equal(t, all[1].Data.(*sessionevents.Turn).Blocks, got)
}

func TestNativeBlocksOfEachFormat(t *testing.T) {
	for format, native := range map[string]string{
		"codex":          `[{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}}]`,
		"gemini":         `{"type":"gemini","content":"hi"}`,
		"qwen":           `{"type":"assistant","message":{"parts":[{"text":"hi"}]}}`,
		"copilot":        `{"type":"assistant.message","data":{"content":"hi"}}`,
		"swe-agent":      `{"thought":"hi","action":""}`,
		"mini-swe-agent": `{"role":"assistant","content":"hi"}`,
		"openhands":      `{"id":3,"source":"agent","action":"message","args":{"content":"hi"}}`,
		"kimi":           `{"type":"context.append_loop_event","event":{"type":"content.part","part":{"type":"text","text":"hi"}}}`,
		"antigravity":    `{"source":"MODEL","type":"PLANNER_RESPONSE","content":"hi"}`,
		"opencode":       `{"info":{"role":"assistant"},"parts":[{"type":"text","text":"hi"}]}`,
		"cursor":         `{"role":"assistant","message":{"content":[{"type":"text","text":"hi"}]}}`,
		"chat":           `{"role":"assistant","content":"hi"}`,
		"claude-code":    `{"type":"assistant","message":{"role":"assistant","content":"hi"}}`,
	} {
		got, _, err := Formats().NativeBlocks(format, json.RawMessage(native))
		require.NoError(t, err, format)
		require.Equal(t, []sessionevents.Block{{Type: sessionevents.BlockText, Text: "hi"}}, got, format)
	}
}

// A subagent's own line counts when it is all there is, and what the person
// said is kept though its turn is still to come.
func TestNativeBlocksOfParts(t *testing.T) {
	got, _, err := Formats().NativeBlocks("claude-code", json.RawMessage(`{"type":"assistant",`+
		`"isSidechain":true,"agentId":"a","sessionId":"s","message":{"content":[{"type":"text","text":"sub"}]}}`))
	require.NoError(t, err)
	require.Equal(t, []sessionevents.Block{{Type: sessionevents.BlockText, Text: "sub"}}, got)

	got, _, err = Formats().NativeBlocks("chat", json.RawMessage(`{"role":"user","content":"please"}`))
	require.NoError(t, err)
	require.Equal(t, []sessionevents.Block{{Type: sessionevents.BlockUser, Text: "please"}}, got)
}

func TestNativeBlocksRefuses(t *testing.T) {
	for name, c := range map[string][2]string{
		"unknown format": {"nobody", `{}`},
		"a log":          {"cloudevents", `{}`},
		"nothing":        {"codex", ` `},
		"damage":         {"codex", `{"type":`},
		"damaged list":   {"codex", `[{"type":`},
		"not an object":  {"claude-code", `[42]`},
	} {
		_, _, err := Formats().NativeBlocks(c[0], json.RawMessage(c[1]))
		require.Error(t, err, name)
	}
	_, _, err := Formats().NativeBlocks("nobody", nil)
	require.ErrorContains(t, err, "claude-code, codex")
}
