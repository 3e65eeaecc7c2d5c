package all

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// stops returns the stop reasons of the turns that records make, and the number of blocks of each.
func stops(t *testing.T, format string, records ...string) (reasons []string, blocks []int) {
	t.Helper()
	f, err := Formats().Turns(format)
	require.NoError(t, err)
	live := f.Live("s1", transcript.Options{})
	for _, r := range records {
		require.NoError(t, live.Record([]byte(r)), r)
	}
	live.Flush()
	for _, e := range live.Take() {
		if turn, ok := e.Data.(*sessionevents.Turn); ok {
			reasons, blocks = append(reasons, turn.StopReason), append(blocks, len(turn.Blocks))
		}
	}
	return reasons, blocks
}

// RW-35: a response that failed is a turn with a reason that counts, also when
// the model said nothing; the turn before it, whose tools are done, is none.
func TestFailedResponses(t *testing.T) {
	const (
		claudePrompt = `{"type":"user","sessionId":"s1","message":{"role":"user","content":"go"}}`
		claudeCall   = `{"type":"assistant","sessionId":"s1","message":{"id":"m1","role":"assistant","model":"x","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}`
		claudeResult = `{"type":"user","sessionId":"s1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a"}]}}`
		claudeError  = `{"type":"assistant","sessionId":"s1","isApiErrorMessage":true,"error":"rate_limit","message":{"id":"e1","role":"assistant","model":"<synthetic>","stop_reason":"stop_sequence","content":[{"type":"text","text":"API Error: 429"}]}}`
		claudeNote   = `{"type":"assistant","sessionId":"s1","message":{"id":"e2","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}`

		codexPrompt = `{"type":"event_msg","payload":{"type":"user_message","message":"go"}}`
		codexSaid   = `{"type":"event_msg","payload":{"type":"agent_message","message":"looking"}}`
		codexError  = `{"type":"event_msg","payload":{"type":"error","message":"stream disconnected"}}`
		codexDone   = `{"type":"event_msg","payload":{"type":"task_complete"}}`
	)
	for _, c := range []struct {
		name, format string
		records      []string
		reasons      []string
		blocks       []int
	}{
		{"claude: behind a tool", "claude-code", []string{claudePrompt, claudeCall, claudeResult, claudeError}, []string{"tool_use", "api_error"}, []int{3, 0}},
		{"claude: at once", "claude-code", []string{claudePrompt, claudeError}, []string{"api_error"}, []int{1}},
		{"claude: three times", "claude-code", []string{claudeError, claudePrompt, claudeError, claudePrompt, claudeError}, []string{"api_error", "api_error", "api_error"}, []int{0, 1, 1}},
		{"claude: another word of the harness", "claude-code", []string{claudePrompt, claudeCall, claudeResult, claudeNote}, []string{"tool_use"}, []int{3}},
		{"codex: in the middle", "codex", []string{codexPrompt, codexSaid, codexError, codexDone}, []string{"error"}, []int{2}},
		{"codex: at once", "codex", []string{codexPrompt, codexError, codexDone}, []string{"error"}, []int{1}},
		{"codex: none", "codex", []string{codexPrompt, codexSaid, codexDone}, []string{"end_turn"}, []int{2}},
		{"opencode: the API", "opencode", []string{`{"info":{"id":"m1","sessionID":"s1","role":"assistant","error":{"name":"APIError","data":{"message":"529"}}},"parts":[]}`}, []string{"api_error"}, []int{0}},
		{"opencode: unknown", "opencode", []string{`{"info":{"id":"m1","sessionID":"s1","role":"assistant","error":{"name":"UnknownError","data":{"message":"?"}}},"parts":[{"type":"text","text":"so"}]}`}, []string{"error"}, []int{1}},
		{"opencode: stopped by a person", "opencode", []string{`{"info":{"id":"m1","sessionID":"s1","role":"assistant","error":{"name":"MessageAbortedError"}},"parts":[{"type":"text","text":"so"}]}`}, []string{"interrupted"}, []int{1}},
		{"opencode: too long", "opencode", []string{`{"info":{"id":"m1","sessionID":"s1","role":"assistant","finish":"length","error":{"name":"MessageOutputLengthError"}},"parts":[{"type":"text","text":"so"}]}`}, []string{"length"}, []int{1}},
		{"opencode: damaged", "opencode", []string{`{"info":{"id":"m1","sessionID":"s1","role":"assistant","finish":"stop","error":"so"},"parts":[{"type":"text","text":"so"}]}`}, []string{"stop"}, []int{1}},
		{"openhands: version 0", "openhands", []string{`{"id":1,"source":"environment","observation":"agent_state_changed","extras":{"agent_state":"error"}}`}, []string{"error"}, []int{0}},
		{"openhands: a pause", "openhands", []string{`{"id":1,"source":"environment","observation":"agent_state_changed","extras":{"agent_state":"paused"}}`}, nil, nil},
		{"openhands: SDK", "openhands", []string{`{"id":"1","kind":"ConversationErrorEvent","source":"environment","code":"LLMServiceUnavailable","detail":"503"}`}, []string{"error"}, []int{0}},
		{"copilot", "copilot", []string{`{"type":"session.start","data":{"sessionId":"s1"}}`, `{"type":"user.message","data":{"content":"go"}}`, `{"type":"session.error","data":{"errorType":"query","message":"503"}}`}, []string{"error"}, []int{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			reasons, blocks := stops(t, c.format, c.records...)
			require.Equal(t, c.reasons, reasons)
			require.Equal(t, c.blocks, blocks)
		})
	}
}
