package claudecode

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive/drivetest"
)

func newReader() (*reader, *drivetest.Recorder) {
	sink := &drivetest.Recorder{}
	return &reader{driver: &Driver{said: map[string]string{}}, sink: sink, partial: map[string]*streamEvent{}}, sink
}

// TestSubagent makes a session of a subagent's lines that names its parent, and
// leaves a response open while it is being told.
func TestSubagent(t *testing.T) {
	r, sink := newReader()
	for _, line := range []string{
		`{"type":"assistant","session_id":"s1","parent_tool_use_id":null,"uuid":"u1","message":{"id":"m1","content":[{"type":"tool_use","id":"toolu_task","name":"Task","input":{"prompt":"look"}}]}}`,
		`{"type":"stream_event","session_id":"s1","parent_tool_use_id":"toolu_task","event":{"type":"message_start","message":{"id":"m2","usage":{"input_tokens":3}}}}`,
		`{"type":"assistant","session_id":"s1","parent_tool_use_id":"toolu_task","uuid":"u2","message":{"id":"m2","content":[{"type":"tool_use","id":"a","name":"Read","input":{"file_path":"x"}}]}}`,
		`{"type":"user","session_id":"s1","parent_tool_use_id":"toolu_task","uuid":"u3","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}}`,
	} {
		require.NoError(t, r.line(t.Context(), []byte(line)))
	}
	require.Empty(t, sink.Seen().Turns, "more calls may come with the response")
	for _, line := range []string{
		`{"type":"assistant","session_id":"s1","parent_tool_use_id":"toolu_task","uuid":"u4","message":{"id":"m2","content":[{"type":"tool_use","id":"b","name":"Read","input":{"file_path":"y"}}]}}`,
		`{"type":"stream_event","session_id":"s1","parent_tool_use_id":"toolu_task","event":{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}}`,
		`{"type":"stream_event","session_id":"s1","parent_tool_use_id":"toolu_task","event":{"type":"message_stop"}}`,
		`{"type":"user","session_id":"s1","parent_tool_use_id":"toolu_task","uuid":"u5","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"2"}]}}`,
		`{"type":"user","session_id":"s1","parent_tool_use_id":null,"uuid":"u6","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_task","content":"found"}]}}`,
	} {
		require.NoError(t, r.line(t.Context(), []byte(line)))
	}
	seen := sink.Seen()
	require.Equal(
		t,
		[]string{"s1-agent-toolu_task | call Read | result 1 | call Read | result 2", "s1 | call Task | result found"},
		drivetest.Outlines(seen.Turns),
	)
	require.Equal(t, int64(9), seen.Turns[0].Usage.OutputTokens)
	require.Equal(t, int64(3), seen.Turns[0].Usage.InputTokens)
	require.Equal(t, "s1", seen.Turns[0].Agent.ParentSession)
	require.ErrorIs(t, r.driver.Say(t.Context(), drive.Message{Session: "s1-agent-toolu_task"}), drive.ErrUnsupported)
	require.NoError(t, r.close(t.Context()))
	seen = sink.Seen()
	require.Equal(t, "s1-agent-toolu_task", seen.Closed[0].Session, "subagents first")
	require.Equal(t, "s1", seen.Closed[1].Session)
}

// FuzzLine feeds lines of any shape; nothing panics.
func FuzzLine(f *testing.F) {
	f.Add([]byte(`{"type":"stream_event","session_id":"s1","event":{"type":"message_delta","usage":{"output_tokens":9}}}`))
	f.Add([]byte(`{"type":"user","session_id":"s1","isReplay":true,"uuid":"u","message":{"content":[{"type":"text","text":"x"}]}}`))
	f.Add([]byte(`{"type":"assistant","session_id":"s1","parent_tool_use_id":"t","message":{"id":"m","content":[{"type":"tool_use","id":"a","input":3}]},"tool_use_result":[]}`))
	f.Add([]byte(`{"type":"system","subtype":"compact_boundary","session_id":"s/1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, _ := newReader()
		_ = r.line(context.Background(), []byte(`{"type":"stream_event","session_id":"s1","event":{"type":"message_start","message":{"id":"m"}}}`))
		if !bytes.Contains(data, []byte("result")) && !bytes.Contains(data, []byte("control")) && !bytes.Contains(data, []byte(`\u`)) { // these need a process
			_ = r.line(context.Background(), data)
		}
		_ = r.close(context.Background())
	})
}
