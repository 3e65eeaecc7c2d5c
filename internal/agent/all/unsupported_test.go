package all

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// unread returns the names that the turns of an input carry.
func unread(all []events.Event) (names []string) {
	for _, e := range all {
		if turn, is := e.Data.(*sessionevents.Turn); is {
			names = append(names, turn.Unsupported...)
		}
	}
	return names
}

// IN-1: a record, call or result that a reader recognises as one and cannot interpret is
// counted by its name, whichever reader it is, and the turn carries it.
func TestWhatIsNotUnderstoodIsCounted(t *testing.T) {
	for format, c := range map[string]struct {
		records []string
		want    []string
	}{
		"claude-code": {[]string{
			`{"type":"assistant","sessionId":"s","message":{"id":"m","role":"assistant",` +
				`"content":[{"type":"text","text":"so"},{"type":"browser_tool_use","id":"b"}]}}`,
			`{"type":"user","sessionId":"s","message":{"role":"user","content":[{"type":"browser_tool_result",` +
				`"id":"b"}]}}`,
			`{"type":"hologram","sessionId":"s"}`, `{"type":"summary","sessionId":"s"}`,
		}, []string{"call browser_tool_use", "result browser_tool_result", "record hologram"}},
		"codex": {[]string{
			`{"type":"response_item","payload":{"type":"message","role":"assistant",` +
				`"content":[{"type":"output_text","text":"so"}]}}`,
			`{"type":"response_item","payload":{"type":"browser_call","call_id":"1"}}`,
			`{"type":"response_item","payload":{"type":"browser_call_output"}}`,
			`{"type":"hologram","payload":{"type":"x"}}`,
		}, []string{"call browser_call", "result browser_call_output", "record hologram"}},
		"chat": {[]string{
			`{"role":"assistant","content":[{"type":"text","text":"so"},{"type":"functionRun","id":"1"}]}`,
			`{"role":"user","content":[{"type":"functionRunOutput","id":"1"},{"type":"image"}]}`,
			`{"role":"oracle","content":"x"}`,
		}, []string{"call functionRun", "result functionRunOutput", "record oracle"}},
		"copilot": {[]string{
			`{"type":"assistant.message","data":{"content":"so"}}`, `{"type":"tool.execution_branched",` +
				`"data":{"toolCallId":"1"}}`, `{"type":"tool.execution_progress","data":{}}`,
			`{"type":"hologram.shown","data":{}}`,
		}, []string{"call tool.execution_branched", "record hologram.shown"}},
		"opencode": {[]string{`{"info":{"id":"m","sessionID":"s","role":"assistant"},"parts":[{"type":"text",` +
			`"text":"so"},{"type":"remote-tool"},{"type":"snapshot"}]}`}, []string{"call remote-tool"}},
		"openhands": {
			[]string{`{"id":"1","kind":"MessageEvent","source":"agent",` +
				`"llm_message":{"content":"so"}}`, `{"id":"2","kind":"DroneCallEvent","source":"agent"}`},
			[]string{"call DroneCallEvent"},
		},
		"kimi": {[]string{
			`{"type":"context.append_loop_event","event":{"type":"content.part","part":{"text":"so"}}}`,
			`{"type":"context.append_loop_event","event":{"type":"tool.batch"}}`, `{"type":"llm.request"}`,
		}, []string{"call tool.batch"}},
	} {
		t.Run(format, func(t *testing.T) {
			f, err := Formats().Turns(format)
			require.NoError(t, err)
			s, err := f.Open(strings.NewReader(strings.Join(c.records, "\n")+"\n"), transcript.Options{})
			require.NoError(t, err)
			var all []events.Event
			for {
				e, err := s.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				all = append(all, e)
			}
			require.Equal(t, c.want, unread(all))
			require.Len(t, s.Stats().Unsupported, len(c.want))
		})
	}
}

// What is not understood after the last turn is carried by a turn of its own; names hold
// no more than names hold.
func TestWhatIsNotUnderstoodAtTheEnd(t *testing.T) {
	a := transcript.New("test", "s", transcript.Options{})
	a.Main().Text("so")
	a.Main().Flush()
	a.Main().Unknown("tool\x00 <b>" + strings.Repeat("x", 200))
	a.Main().Unknown("")
	a.End(false)
	var all []events.Event
	for e, ok := a.Take(); ok; e, ok = a.Take() {
		all = append(all, e)
	}
	require.Equal(t, []string{"call toolb" + strings.Repeat("x", 55), "record without a name"}, unread(all))
}

// IN-1: a format is recognised however far into the file its marks stand, from a file and
// from a pipe, and what is read is the same as with the marks in front.
func TestMarksFarIntoTheFile(t *testing.T) {
	config := strings.Repeat("configuration of the agent. ", 6000)
	messages := `[{"role":"system","content":"be brief"},{"role":"user","content":"list it"},` +
		`{"role":"assistant","content":"So.\n` + "```bash\\nls\\n```" + `"},{"role":"user",` +
		`"content":"<returncode>0</returncode>\n<output>\na\n</output>"}]`
	line := `{"type":"note","text":"` + strings.Repeat("n", 500) + `"}` + "\n"
	for name, c := range map[string]struct{ format, input string }{
		"mini-swe-agent: messages behind its configuration": {
			"mini-swe-agent",
			`{"info":{"config":{"text":"` + config + `"},"mini_version":"2.1"},"messages":` + messages + `,` +
				`"trajectory_format":"mini-swe-agent-1.1"}`,
		},
		"mini-swe-agent: an early version": {
			"mini-swe-agent",
			`{"info":{"exit_status":"Submitted","submission":"` + config + `","model_stats":{"api_calls":1}},` +
				`"messages":` + messages + `}`,
		},
		"mini-swe-agent: its mark behind the messages": {"mini-swe-agent", `{"messages":[{"role":"system",` +
			`"content":"` + config + `"},` + messages[1:] + `,"info":{"mini_version":"2.1"}}`},
		"SWE-agent: its steps last": {"swe-agent", `{"replay_config":"` + config + `",` +
			`"trajectory":[{"action":"ls","observation":"a","thought":"so"}]}`},
		"Claude Code: behind hundreds of other lines": {"claude-code", strings.Repeat(line,
			300) + `{"type":"assistant","sessionId":"s","uuid":"u","isSidechain":false,"message":{"id":"m",` +
			`"role":"assistant","content":[{"type":"text","text":"so"}]}}` + "\n"},
		"chat: in an array": {"chat", `[{"note":"` + config + `"},` +
			`{"role":"user","content":"go"},{"role":"assistant","content":"so"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			s, all := drain(t, strings.NewReader(c.input), transcript.Options{})
			require.Equal(t, c.format, s.Format().Name)
			require.Positive(t, s.Stats().Turns)
			_, piped := drain(t, io.MultiReader(strings.NewReader(c.input)), transcript.Options{})
			require.Equal(t, all, piped)
		})
	}
	_, err := Formats().Open(strings.NewReader(strings.Repeat(line, 300)), transcript.Options{})
	require.ErrorIs(t, err, transcript.ErrUnknown)
}

// Looking far takes no memory for what is looked over.
func TestLookingFarIsBounded(t *testing.T) {
	far := append([]byte(`{"info":{"config":"`), bytes.Repeat([]byte("x"), 96<<20)...)
	far = append(far, []byte(`","mini_version":"2"},"messages":[{"role":"assistant","content":"so"}]}`)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := Formats().Open(bytes.NewReader(far), transcript.Options{})
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Equal(t, "mini-swe-agent", s.Format().Name)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20))
}

// Detection needs two marks of a format (IN-1): one is what any file may hold.
func TestOneMarkIsNotEnough(t *testing.T) {
	for _, input := range []string{
		`{"kind":"ActionEvent"}`, `{"trajectory_format":"mini-swe-agent-1"}`, `{"info":{"mini_version":"1"}}`,
		`{"message":{"role":"user"}}`,
		`{"messages":[{"role":"user"}]}`, `{"type":"backend_tool_call"}`, `{"message":{"role":"toolResult"}}`,
		`{"type":"session"}`, `{"role":"user"}`,
	} {
		_, confidence := Formats().Recognise([]byte(input + "\n"))
		require.Zero(t, confidence, input)
	}
}
