package all

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/claudecode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/codex"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/copilot"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/cursor"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/gemini"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/hookturn"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func isError(v bool) *bool { return &v }
func exitCode(v int) *int  { return &v }

// shapes are what agents give to hooks, with what is read from it.
var shapes = []struct {
	name   string
	agent  string
	json   string
	point  hook.Point
	border hookturn.Border
	pieces []sessionevents.Block
}{
	{
		"claude prompt", claudecode.Name,
		`{"session_id":"s","transcript_path":"/t","cwd":"/w","prompt_id":"p","permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"<system-reminder>x</system-reminder>fix it"}`,
		hook.PointPrompt, 0,
		[]sessionevents.Block{{Type: sessionevents.BlockUser, Text: "fix it"}},
	},
	{
		"claude message", claudecode.Name,
		`{"session_id":"s","hook_event_name":"MessageDisplay","turn_id":"t","message_id":"m","index":0,"final":true,"delta":"Here is the plan:\n"}`,
		hook.PointText, 0,
		[]sessionevents.Block{{Type: sessionevents.BlockText, Text: "Here is the plan:\n"}},
	},
	{
		"claude before a tool", claudecode.Name,
		`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"toolu_1"}`,
		hook.PointBeforeTool, 0,
		[]sessionevents.Block{{
			Type: sessionevents.BlockToolCall, ID: "toolu_1", Name: "Bash",
			Input: json.RawMessage(`{"command":"ls"}`),
		}},
	},
	{
		"claude shell", claudecode.Name,
		`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":{"stdout":"a\nb","stderr":"","interrupted":false,"isImage":false},"tool_use_id":"toolu_1"}`,
		hook.PointAfterTool, 0,
		[]sessionevents.Block{{
			Type: sessionevents.BlockToolResult, ID: "toolu_1", Name: "Bash",
			Input: json.RawMessage(`{"command":"ls"}`), Output: "a\nb", IsError: isError(false),
			ExitCode: exitCode(0),
		}},
	},
	{
		"claude denied a call", claudecode.Name,
		`{"session_id":"s","hook_event_name":"PermissionDenied","tool_name":"Bash","tool_input":{"command":"rm -rf /srv"},"tool_use_id":"toolu_9",` +
			`"reason":"outside of the project"}`,
		hook.PointOther, 0,
		[]sessionevents.Block{{
			Type: sessionevents.BlockToolResult, ID: "toolu_9", Name: "Bash",
			Input:  json.RawMessage(`{"command":"rm -rf /srv"}`),
			Output: "outside of the project", Rejected: true, IsError: isError(false),
		}},
	},
	{
		"claude asks its person", claudecode.Name,
		`{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"rm -rf /srv"}}`,
		hook.PointOther, 0, nil,
	},
	{
		"claude edit", claudecode.Name,
		`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Edit","tool_use_id":"e","tool_response":{"filePath":"/w/a.go","oldString":"x","newString":"y","originalFile":"x\n","structuredPatch":[{"oldStart":3,"oldLines":1,"newStart":3,"newLines":1,"lines":["-x","+y"]}]}}`,
		hook.PointAfterTool, 0,
		[]sessionevents.Block{{
			Type: sessionevents.BlockToolResult, ID: "e", Name: "Edit", IsError: isError(false),
			Patch: []sessionevents.FilePatch{{
				Path: "/w/a.go", Op: sessionevents.DiffUpdate,
				Hunks: []sessionevents.Hunk{{OldStart: 3, NewStart: 3, Lines: []string{"-x", "+y"}}},
			}},
		}},
	},
	{
		"claude read", claudecode.Name,
		`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Read","tool_use_id":"r","tool_response":{"type":"text","file":{"filePath":"/w/a.go","content":"package a\n","numLines":1}}}`,
		hook.PointAfterTool, 0,
		[]sessionevents.Block{{
			Type: sessionevents.BlockToolResult, ID: "r", Name: "Read", Output: "package a\n",
			IsError: isError(false),
		}},
	},
	{
		"claude failure", claudecode.Name,
		`{"session_id":"s","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_use_id":"f","error":"Exit code 2\nno such file","is_interrupt":false}`,
		hook.PointAfterTool, 0,
		[]sessionevents.Block{{
			Type: sessionevents.BlockToolResult, ID: "f", Name: "Bash", Output: "no such file",
			IsError: isError(true), ExitCode: exitCode(2),
		}},
	},
	{
		"claude interruption", claudecode.Name,
		`{"session_id":"s","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_use_id":"f","error":"stopped","is_interrupt":true}`,
		hook.PointAfterTool, 0,
		[]sessionevents.Block{{
			Type: sessionevents.BlockToolResult, ID: "f", Name: "Bash", Output: "stopped",
			IsError: isError(false), Rejected: true,
		}},
	},
	{
		"claude batch", claudecode.Name,
		`{"session_id":"s","hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":"Read","tool_input":{"file_path":"a"},"tool_use_id":"r","tool_response":"1\tpackage a"},{"tool_name":"X","tool_use_id":"x","tool_response":[{"type":"text","text":"y"}]}]}`,
		hook.PointAfterBatch, hookturn.BorderBatch,
		[]sessionevents.Block{
			{
				Type: sessionevents.BlockToolResult, ID: "r", Name: "Read", Input: json.RawMessage(`{"file_path":"a"}`),
				Output: "1\tpackage a",
			},
			{Type: sessionevents.BlockToolResult, ID: "x", Name: "X", Output: "y"},
		},
	},
	{
		"claude stop", claudecode.Name,
		`{"session_id":"s","hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"Done."}`,
		hook.PointStop, hookturn.BorderTurn,
		[]sessionevents.Block{{Type: sessionevents.BlockText, Text: "Done."}},
	},
	{
		"codex shell", codex.Name,
		`{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/w","hook_event_name":"PostToolUse","model":"g","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":"Exit code: 2\nWall time: 1 seconds\nOutput:\nmake: nothing","tool_use_id":"c1"}`,
		hook.PointAfterTool, hookturn.BorderCall,
		[]sessionevents.Block{{
			Type: sessionevents.BlockToolResult, ID: "c1", Name: "Bash",
			Input: json.RawMessage(`{"command":"make"}`), Output: "make: nothing", IsError: isError(true),
			ExitCode: exitCode(2),
		}},
	},
	{
		"codex shell as an object", codex.Name,
		`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"c1","tool_response":{"stdout":"ok\n","exit_code":0}}`,
		hook.PointAfterTool, hookturn.BorderCall,
		[]sessionevents.Block{{
			Type: sessionevents.BlockToolResult, ID: "c1", Name: "Bash", Output: "ok\n",
			IsError: isError(false), ExitCode: exitCode(0),
		}},
	},
	{
		"codex stop", codex.Name,
		`{"session_id":"s","turn_id":"t","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":null}`,
		hook.PointStop, hookturn.BorderTurn, nil,
	},
	{
		"copilot prompt", copilot.Name,
		`{"hook_event_name":"UserPromptSubmit","session_id":"s","timestamp":"2026-03-02T09:00:00Z","cwd":"/w",` +
			`"prompt":"go"}`,
		hook.PointPrompt, 0,
		[]sessionevents.Block{{Type: sessionevents.BlockUser, Text: "go"}},
	},
	{
		"copilot goes on with what we said", copilot.Name,
		`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"Note of scaffoldwatch, not of the ` +
			`person: Run the tests."}`,
		hook.PointPrompt, 0, nil,
	},
	{
		"copilot before a tool", copilot.Name,
		`{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"Bash","tool_input":{"command":"ls"}}`,
		hook.PointBeforeTool, 0,
		[]sessionevents.Block{{
			Type: sessionevents.BlockToolCall, Name: "Bash",
			Input: json.RawMessage(`{"command":"ls"}`),
		}},
	},
	{
		"copilot shell", copilot.Name,
		`{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"},` +
			`"tool_result":{"result_type":"success","text_result_for_llm":"a\n<shellId: 0 completed with exit ` +
			`code 2>"}}`,
		hook.PointAfterTool, hookturn.BorderCall,
		[]sessionevents.Block{{
			Type: sessionevents.BlockToolResult, Name: "Bash", Input: json.RawMessage(`{"command":"ls"}`),
			Output:  "a\n",
			IsError: isError(true), ExitCode: exitCode(2),
		}},
	},
	{
		"copilot failure", copilot.Name,
		`{"hook_event_name":"PostToolUseFailure","session_id":"s","tool_name":"Read","tool_input":{},` +
			`"error":"no such file"}`,
		hook.PointAfterTool, hookturn.BorderCall,
		[]sessionevents.Block{{
			Type: sessionevents.BlockToolResult, Name: "Read", Input: json.RawMessage(`{}`), Output: "no such " +
				"file", IsError: isError(true),
		}},
	},
	{
		"copilot stop", copilot.Name,
		`{"hook_event_name":"Stop","session_id":"s","transcript_path":"/t","stop_reason":"end_turn",` +
			`"stop_hook_active":false}`,
		hook.PointStop, hookturn.BorderTurn, nil,
	},
	{
		"gemini prompt", gemini.Name,
		`{"session_id":"s","transcript_path":"/t","cwd":"/w","hook_event_name":"BeforeAgent","timestamp":"2026-01-01T00:00:00Z","prompt":"go"}`,
		hook.PointPrompt, 0,
		[]sessionevents.Block{{Type: sessionevents.BlockUser, Text: "go"}},
	},
	{
		"gemini tool", gemini.Name,
		`{"session_id":"s","hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{"command":"ls"},"tool_response":{"llmContent":"Output: a\nError: (none)\nExit Code: 0\nProcess Group PGID: 5","returnDisplay":"a"}}`,
		hook.PointAfterTool, hookturn.BorderCall,
		[]sessionevents.Block{{
			Type: sessionevents.BlockToolResult, Name: "run_shell_command",
			Input: json.RawMessage(`{"command":"ls"}`), Output: "a", IsError: isError(false), ExitCode: exitCode(0),
		}},
	},
	{
		"gemini failure", gemini.Name,
		`{"session_id":"s","hook_event_name":"AfterTool","tool_name":"read_file","tool_response":{"llmContent":"","error":{"message":"not found","type":"x"}}}`,
		hook.PointAfterTool, hookturn.BorderCall,
		[]sessionevents.Block{{
			Type: sessionevents.BlockToolResult, Name: "read_file", Output: "not found",
			IsError: isError(true),
		}},
	},
	{
		"gemini end", gemini.Name,
		`{"session_id":"s","hook_event_name":"AfterAgent","prompt":"go","prompt_response":"Done.","stop_hook_active":false}`,
		hook.PointStop, hookturn.BorderTurn,
		[]sessionevents.Block{{Type: sessionevents.BlockText, Text: "Done."}},
	},
	{
		"cursor thought", cursor.Name,
		`{"conversation_id":"c","generation_id":"g","hook_event_name":"afterAgentThought","text":"Hm.","duration_ms":5}`,
		hook.PointOther, 0,
		[]sessionevents.Block{{Type: sessionevents.BlockThinking, Text: "Hm."}},
	},
	{
		"cursor tool", cursor.Name,
		`{"conversation_id":"c","hook_event_name":"postToolUse","tool_name":"Shell","tool_input":{"command":"ls"},"tool_output":"{\"exitCode\":0,\"stdout\":\"a\"}","tool_use_id":"t","duration":3}`,
		hook.PointAfterTool, hookturn.BorderCall,
		[]sessionevents.Block{{
			Type: sessionevents.BlockToolResult, ID: "t", Name: "Shell",
			Input: json.RawMessage(`{"command":"ls"}`), Output: "a", IsError: isError(false), ExitCode: exitCode(0),
		}},
	},
	{
		"cursor refusal", cursor.Name,
		`{"conversation_id":"c","hook_event_name":"postToolUseFailure","tool_name":"Shell","tool_use_id":"t","error_message":"no","failure_type":"permission_denied"}`,
		hook.PointAfterTool, hookturn.BorderCall,
		[]sessionevents.Block{{
			Type: sessionevents.BlockToolResult, ID: "t", Name: "Shell", Output: "no",
			IsError: isError(false), Rejected: true,
		}},
	},
	{
		"an unknown hook", claudecode.Name, `{"session_id":"s","hook_event_name":"Notification","message":"x"}`,
		hook.PointOther, 0, nil,
	},
	{
		"fields of other types", claudecode.Name,
		`{"session_id":"s","hook_event_name":"PostToolBatch","tool_calls":"none","cwd":7,"model":{"id":"x"}}`,
		hook.PointAfterBatch, hookturn.BorderBatch, nil,
	},
}

// parseHook reads a hook's call of an agent.
func parseHook(agent string, raw []byte) (hook.Event, error) {
	d, err := Hooks().Named(agent)
	if err != nil {
		return hook.Event{}, err
	}
	return d.Parse(raw)
}

func TestParse(t *testing.T) {
	for _, c := range shapes {
		t.Run(c.name, func(t *testing.T) {
			e, err := parseHook(c.agent, []byte(c.json))
			require.NoError(t, err)
			require.Equal(t, c.point, e.Point)
			require.Equal(t, c.border, e.Call().Border)
			var got []sessionevents.Block
			for _, p := range e.Call().Pieces {
				got = append(got, p.Block)
			}
			require.Equal(t, c.pieces, got)
		})
	}
}

// RW-35: hooks that tell of a response that failed.
func TestParseFailures(t *testing.T) {
	for _, c := range []struct {
		agent        string
		json, failed string
	}{
		{
			claudecode.Name,
			`{"session_id":"s","hook_event_name":"StopFailure","error":"rate_limit","last_assistant_message":"API Error: 429"}`, "api_error",
		},
		{cursor.Name, `{"conversation_id":"c","hook_event_name":"stop","status":"error","loop_count":0}`, "error"},
		{cursor.Name, `{"conversation_id":"c","hook_event_name":"stop","status":"aborted"}`, ""},
		{cursor.Name, `{"conversation_id":"c","hook_event_name":"stop","status":"completed"}`, ""},
		{claudecode.Name, `{"session_id":"s","hook_event_name":"Stop"}`, ""},
	} {
		e, err := parseHook(c.agent, []byte(c.json))
		require.NoError(t, err)
		require.Equal(t, c.failed, e.Call().Failed, c.json)
		require.Equal(t, hook.PointStop, e.Point)
		require.True(t, e.EndsTurn())
		require.Empty(t, e.Call().Pieces, "the error's text is nobody's")
	}
}

func TestParseSessions(t *testing.T) { // SW-1
	e, err := parseHook(claudecode.Name,
		[]byte(`{"session_id":"s","agent_id":"e1","agent_type":"explore","hook_event_name":"SubagentStop","cwd":"/w","transcript_path":"/t","model":"m"}`))
	require.NoError(t, err)
	require.Equal(t, "s", e.Session)
	require.Equal(t, "s-agent-e1", e.Speaker)
	require.Equal(t, hookturn.Call{
		Subagent: "e1", Archetype: "explore", Model: "m", Workspace: "/w", Transcript: "/t",
		Closes: "subagent_stopped", Border: hookturn.BorderTurn,
	}, e.Call())

	e, err = parseHook(claudecode.Name, []byte(`{"session_id":"s","hook_event_name":"SubagentStop"}`))
	require.NoError(t, err)
	require.Empty(t, e.Call().Closes, "a subagent without a name does not end its parent")

	e, err = parseHook(cursor.Name,
		[]byte(`{"conversation_id":"a/b","session_id":"x","workspace_roots":["/w","/v"],"hook_event_name":"sessionEnd","reason":"user_close"}`))
	require.NoError(t, err)
	require.True(t, events.ValidID(e.Session), e.Session)
	require.NotEqual(t, "x", e.Session)
	require.Equal(t, "/w", e.Call().Workspace)
	require.Equal(t, "user_close", e.Call().Closes)

	e, err = parseHook(claudecode.Name,
		[]byte(`{"session_id":"s","hook_event_name":"SessionStart","source":"compact"}`))
	require.NoError(t, err)
	require.True(t, e.Call().Opens && e.Call().Compacts)

	_, err = parseHook(codex.Name, []byte(`{"hook_event_name":"Stop"}`))
	require.ErrorIs(t, err, hook.ErrNoSession)
	_, err = parseHook(codex.Name, []byte(`[]`))
	require.ErrorContains(t, err, "read the hook's JSON")
	_, err = parseHook(codex.Name, []byte(`{`))
	require.ErrorContains(t, err, "read the hook's JSON")
	_, err = parseHook("aider", []byte(`{}`))
	require.ErrorContains(t, err, "claude-code, codex, copilot, gemini, opencode, cursor")

	call, err := Hooks().Read(&sessionevents.HookReceived{
		Session: "s", Agent: sessionevents.Agent{Kind: "codex"},
		Event: "Stop", Payload: json.RawMessage(`{"last_assistant_message":"Hi."}`),
	})
	require.NoError(t, err, "the envelope names session and hook")
	require.Equal(t, hookturn.BorderTurn, call.Border)
}

// Whatever an agent sends is read or refused, and the same bytes always in the same way.
func FuzzHooks(f *testing.F) {
	for _, s := range shapes {
		f.Add(s.agent, []byte(s.json))
	}
	f.Fuzz(func(t *testing.T, agent string, data []byte) {
		e, err := parseHook(agent, data)
		again, _ := parseHook(agent, data)
		require.Equal(t, e, again)
		if err != nil {
			return
		}
		require.True(t, events.ValidID(e.Session))
		for _, r := range []hook.Reply{{Context: "x"}, {Deny: "x"}, {Halt: "x"}} {
			out, err := e.Encode(r)
			require.NoError(t, err)
			require.True(t, json.Valid(out))
		}
	})
}

// A call that was denied before it ran has a result that says so, whether or not the agent
// reports one (DP-24).
func TestReadRefused(t *testing.T) {
	payload := json.RawMessage(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git clean -fd"},"tool_use_id":"toolu_1"}`)
	for decision, want := range map[sessionevents.HookDecision]int{
		sessionevents.HookDeny: 2,
		sessionevents.HookWarn: 1, sessionevents.HookAllow: 1,
	} {
		call, err := Hooks().Read(&sessionevents.HookReceived{
			Session: "s", Agent: sessionevents.Agent{Kind: claudecode.Name}, Event: "PreToolUse", Payload: payload,
			Answer: &sessionevents.HookAnswer{Decision: decision, Text: "It would destroy plan.md."},
		})
		require.NoError(t, err)
		require.Len(t, call.Pieces, want, decision)
		if want == 2 {
			b := call.Pieces[1].Block
			require.Equal(t, "toolu_1", b.ID)
			require.True(t, b.Rejected)
			require.Equal(t, "It would destroy plan.md.", b.Output)
		}
	}
}
