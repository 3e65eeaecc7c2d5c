package ingest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// blocks makes one segment of each block, so that a test sees what a turn holds.
type blocks struct{}

func (blocks) Cut(t *sessionevents.Turn, number int, workspace string, _ []sessionevents.SecretFinding) *sessionevents.TurnSegmented {
	out := &sessionevents.TurnSegmented{Session: t.Session, Turn: number, TurnID: t.TurnID, Run: t.Run, Agent: t.Agent, StopReason: t.StopReason}
	for _, b := range t.Blocks {
		out.Segments = append(out.Segments, sessionevents.Segment{Kind: sessionevents.SegmentKind(b.Type), Text: b.Text + b.Output, Path: workspace})
	}
	return out
}

func hookBench(t *testing.T) *bench {
	m := New(Options{Redactor: masks{}, Cutter: blocks{}, ReadHook: all.Hooks().Read, IdleTimeout: time.Hour})
	return &bench{t: t, machine: m, state: m.New("s1")}
}

type payload map[string]any

// hook feeds one hook call and returns what it leads to.
func (b *bench) hook(agent, event string, arrived time.Time, p payload) []events.Event {
	b.t.Helper()
	out, err := b.tryHook(agent, event, arrived, p)
	require.NoError(b.t, err)
	return out
}

func (b *bench) tryHook(agent, event string, arrived time.Time, p payload) ([]events.Event, error) {
	whole := payload{"session_id": "s1", "hook_event_name": event, "cwd": "/w"}
	for k, v := range p {
		whole[k] = v
	}
	raw, err := json.Marshal(whole)
	require.NoError(b.t, err)
	return b.feed(sessionevents.TypeHookReceived, &sessionevents.HookReceived{Session: "s1", Agent: sessionevents.Agent{Kind: agent}, Event: event, Payload: raw}, arrived)
}

// types are the types of events, in order.
func typesOf(list []events.Event) (out []events.Type) {
	for _, e := range list {
		out = append(out, e.Type)
	}
	return out
}

func TestHooksOfASession(t *testing.T) { // SW-1
	b := hookBench(t)
	out := b.hook("claude-code", "SessionStart", start, payload{"source": "startup", "model": "m", "transcript_path": "/t/hush.jsonl"})
	require.Equal(t, []events.Type{sessionevents.TypeSessionOpened, events.TypeTimerSet}, typesOf(out))
	require.Equal(t, &sessionevents.SessionOpened{
		Session: "s1", Agent: &sessionevents.Agent{Kind: "claude-code", Model: "m"}, Workspace: "/w", Transcript: "/t/‹secret›.jsonl",
	}, out[0].Data)
	require.Empty(t, b.hook("claude-code", "UserPromptSubmit", start, payload{"prompt": "write hush"}))
	require.Empty(t, b.hook("claude-code", "PreToolUse", start, payload{"tool_name": "Bash", "tool_use_id": "a", "tool_input": payload{"command": "ls"}}))
	require.Empty(t, b.hook("claude-code", "PostToolUseFailure", start, payload{"tool_name": "Bash", "tool_use_id": "a", "tool_input": payload{"command": "ls"}, "error": "Exit code 2\nno such file"}))
	out = b.hook("claude-code", "PostToolBatch", start, payload{"tool_calls": []payload{{"tool_name": "Bash", "tool_use_id": "a", "tool_response": "no such file"}}})
	turn := out[0].Data.(*sessionevents.TurnSegmented)
	require.Equal(t, "hook-1", turn.TurnID)
	require.Equal(t, "m", turn.Agent.Model, "known from the start")
	require.Equal(t, []sessionevents.Segment{{Kind: "user", Text: "write ‹secret›", Path: "/w"}, {Kind: "tool_call", Path: "/w"}, {Kind: "tool_result", Text: "no such file", Path: "/w"}}, turn.Segments)
	out = b.hook("claude-code", "Stop", start, payload{"last_assistant_message": "Done."})
	require.Equal(t, "end_turn", out[0].Data.(*sessionevents.TurnSegmented).StopReason)
	out = b.hook("claude-code", "SessionEnd", start, payload{"reason": "logout"})
	require.Equal(t, &sessionevents.SessionClosed{Session: "s1", Reason: "logout"}, out[0].Data)
	require.Empty(t, b.hook("claude-code", "SessionEnd", start, payload{"reason": "logout"}), "closed once")

	out = b.hook("claude-code", "SessionStart", start, payload{"source": "resume"})
	require.Equal(t, events.Type(sessionevents.TypeSessionOpened), out[0].Type)
	out = b.hook("claude-code", "Stop", start, payload{"last_assistant_message": "Back."})
	require.True(t, out[0].Data.(*sessionevents.TurnSegmented).Continuity.Resumed)
}

func TestHooksOfASubagent(t *testing.T) { // SW-1
	b := hookBench(t)
	b.hook("claude-code", "UserPromptSubmit", start, payload{"prompt": "go"})
	out := b.hook("claude-code", "SubagentStart", start, payload{"agent_id": "e1", "agent_type": "explore"})
	require.Equal(t, &sessionevents.SessionOpened{
		Session: "s1-agent-e1", Run: "s1", Workspace: "/w",
		Agent: &sessionevents.Agent{ID: "e1", Kind: "claude-code", Archetype: "explore", ParentSession: "s1"},
	}, out[0].Data)
	require.Equal(t, "s1", out[0].Group(), "a subagent keeps to its parent's partition (EV-4)")
	b.hook("claude-code", "PostToolUse", start, payload{"agent_id": "e1", "tool_name": "Read", "tool_use_id": "r", "tool_response": payload{"file": payload{"content": "x"}}})
	out = b.hook("claude-code", "SubagentStop", start, payload{"agent_id": "e1", "last_assistant_message": "Found it."})
	require.Equal(t, []events.Type{sessionevents.TypeTurnSegmented, sessionevents.TypeTurnSegmented, sessionevents.TypeSessionClosed}, typesOf(out))
	require.Equal(t, "s1-agent-e1", out[0].Subject)
	require.Equal(t, "s1", out[0].Data.(*sessionevents.TurnSegmented).Run)

	b.hook("claude-code", "PreToolUse", start, payload{"agent_id": "e2", "tool_name": "Read", "tool_use_id": "q"})
	out = b.hook("claude-code", "SessionEnd", start, payload{})
	require.Equal(t, []events.Type{sessionevents.TypeTurnSegmented, sessionevents.TypeTurnSegmented, sessionevents.TypeSessionClosed, sessionevents.TypeSessionClosed}, typesOf(out))
	require.Equal(t, "s1-agent-e2", out[2].Subject, "subagents end before their parent")
}

// A subagent whose name cannot be an id has one session id everywhere: where its
// hooks are answered, so that interrupts reach it, and in its events (EV-3).
func TestASubagentHasOneID(t *testing.T) {
	dialect, err := all.Hooks().Named("claude-code")
	require.NoError(t, err)
	event, err := dialect.Parse([]byte(`{"session_id":"s1","hook_event_name":"SubagentStart","agent_id":"explore the shops"}`))
	require.NoError(t, err)
	out := hookBench(t).hook("claude-code", "SubagentStart", start, payload{"agent_id": "explore the shops"})
	require.Equal(t, event.Speaker, out[0].Subject)
	require.True(t, events.ValidID(out[0].Data.(*sessionevents.SessionOpened).Agent.ID))
}

// A session that is closed by its publisher, or falls silent, keeps what its
// hooks told (DP-30).
func TestOpenTurnOfAClosedSession(t *testing.T) {
	b := hookBench(t)
	b.hook("codex", "PreToolUse", start, payload{"tool_name": "Bash", "tool_use_id": "a"})
	out, err := b.feed(sessionevents.TypeSessionClosed, &sessionevents.SessionClosed{Session: "s1", Reason: "killed"}, start)
	require.NoError(t, err)
	require.Equal(t, []events.Type{sessionevents.TypeTurnSegmented, sessionevents.TypeSessionClosed}, typesOf(out))

	b = hookBench(t)
	b.hook("codex", "PreToolUse", start, payload{"tool_name": "Bash", "tool_use_id": "a"})
	due := start.Add(time.Hour)
	out, err = b.feed(events.TypeTimerExpired, &events.TimerExpired{Name: idleTimer, Session: "s1", Due: due}, due)
	require.NoError(t, err)
	require.Equal(t, []events.Type{sessionevents.TypeTurnSegmented, sessionevents.TypeSessionClosed}, typesOf(out))
}

// A snapshot between any two hooks gives the same events, and a hook that is
// recorded twice changes nothing (SW-1a).
func TestHooksSurviveSnapshots(t *testing.T) {
	calls := []struct {
		event string
		p     payload
	}{
		{"UserPromptSubmit", payload{"prompt": "go"}},
		{"PreToolUse", payload{"tool_name": "Bash", "tool_use_id": "a", "tool_input": payload{"command": "make"}}},
		{"PreToolUse", payload{"tool_name": "Bash", "tool_use_id": "b", "agent_id": "e1"}},
		{"PostToolUse", payload{"tool_name": "Bash", "tool_use_id": "a", "tool_response": payload{"stdout": "ok hush"}}},
		{"PostToolBatch", payload{"tool_calls": []payload{{"tool_name": "Bash", "tool_use_id": "a", "tool_response": "ok"}}}},
		{"PreCompact", payload{"trigger": "auto"}},
		{"Stop", payload{"last_assistant_message": "Done."}},
		{"SessionEnd", payload{"reason": "exit"}},
	}
	play := func(restart bool) (all []events.Event) {
		b := hookBench(t)
		for _, c := range calls {
			if restart {
				data, err := b.machine.Encode(b.state)
				require.NoError(t, err)
				require.NotContains(t, string(data), "hush")
				b.state, err = b.machine.Decode(data)
				require.NoError(t, err)
			}
			all = append(all, b.hook("claude-code", c.event, start, c.p)...)
			b.n--
			require.Empty(t, b.hook("claude-code", c.event, start, c.p), "the same event again")
		}
		return all
	}
	require.Equal(t, play(false), play(true))
	require.NotEmpty(t, play(false))
}

func TestBadHooksAreRefused(t *testing.T) { // EV-3
	b := hookBench(t)
	_, err := b.tryHook("aider", "Stop", start, payload{})
	require.ErrorContains(t, err, `read the hook Stop: no agent called "aider"`)
	_, err = b.feed(sessionevents.TypeHookReceived, &sessionevents.HookReceived{Session: "not an id", Agent: sessionevents.Agent{Kind: "codex"}, Event: "Stop", Payload: json.RawMessage(`{}`)}, start)
	require.Error(t, err)
}
