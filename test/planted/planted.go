// Package planted puts a text into every place where the input of agents, hooks and
// orchestrators holds one, so that tests can show what becomes of a secret in it (SW-7).
package planted

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"reflect"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Place is a place of the input.
type Place struct {
	Name string
	in   func(session, text string) []any // payloads, each of one event
}

// Source is the source of all planted events.
const Source = "/scaffoldwatch/planted"

var start = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// Session returns a whole session with a text in one place.
func (p Place) Session(session, text string) []events.Event {
	return Session(session, p.in(session, text)...)
}

// Session returns a session of payloads, opened before and closed after them. A run's events have the
// session as their run.
func Session(session string, payloads ...any) (list []events.Event) {
	if _, opens := payloads[0].(*sessionevents.SessionOpened); !opens {
		payloads = append([]any{&sessionevents.SessionOpened{Session: session, Agent: &sessionevents.Agent{Kind: "claude-code"}}}, payloads...)
	}
	if _, closes := payloads[len(payloads)-1].(*sessionevents.SessionClosed); !closes {
		payloads = append(payloads, &sessionevents.SessionClosed{Session: session, Reason: "completed"})
	}
	for i, data := range payloads {
		list = append(list, events.Event{
			ID: fmt.Sprintf("%s-%02d", session, i), Source: Source, Type: typeOf(data), Subject: session,
			Time: start.Add(time.Duration(i) * 20 * time.Second), Data: data,
		})
	}
	return list
}

func typeOf(data any) events.Type {
	for _, d := range events.All() {
		if reflect.TypeOf(d.New()) == reflect.TypeOf(data) {
			return d.Type
		}
	}
	panic(fmt.Sprintf("planted: no event has the data %T", data))
}

// Payloads returns the data of the events that hold a text in the place.
func (p Place) Payloads(session, text string) []any { return p.in(session, text) }

// Spoken returns a place in what the agent says; frame has a %s for the text.
func Spoken(name, frame string) Place { return Place{name, spoken(sessionevents.BlockText, frame)} }

// Command returns a place in a shell command.
func Command(name, frame string) Place {
	return Place{name, called("Bash", "ok", false, func(text string) map[string]any {
		return map[string]any{"command": fmt.Sprintf(frame, text)}
	})}
}

// Result returns a place in the output of a tool.
func Result(name, frame string) Place {
	return Place{name, func(session, text string) []any {
		return called("Bash", "", false, fixed("command", "make"))(session, fmt.Sprintf(frame, text))
	}}
}

// Finished returns a place in what an agent of a run hands over, Committed in a commit's message.
func Finished(name, frame string) Place {
	return Place{name, func(session, text string) []any {
		return []any{&runevents.AgentCompleted{Actor: orchestrator, AgentID: "maker-1", Session: session, Outcome: "success", Output: fmt.Sprintf(frame, text)}}
	}}
}

// Committed returns Finished for a commit.
func Committed(name, frame string) Place {
	return Place{name, func(_, text string) []any {
		return []any{&runevents.GitCommit{Actor: runevents.Actor{Kind: "infra", ID: "git-hook"}, SHA: "91ac3f7", Branch: "main", Message: fmt.Sprintf(frame, text)}}
	}}
}

// Turn returns a turn of blocks.
func Turn(session, id string, blocks ...sessionevents.Block) *sessionevents.Turn {
	return &sessionevents.Turn{Session: session, TurnID: id, Format: "blocks", Blocks: blocks}
}

// Said returns a block of text.
func Said(kind sessionevents.BlockType, text string) sessionevents.Block {
	return sessionevents.Block{Type: kind, Text: text}
}

// Call returns a tool call and its result.
func Call(id, tool string, input map[string]any, output string, failed bool) []sessionevents.Block {
	data, err := json.Marshal(input)
	if err != nil {
		panic(fmt.Sprintf("planted: %v", err))
	}
	return []sessionevents.Block{
		{Type: sessionevents.BlockToolCall, ID: id, Name: tool, Input: data},
		{Type: sessionevents.BlockToolResult, ID: id, Output: output, IsError: &failed},
	}
}

// turnOf returns the id of the turn that holds a text: another text is another turn.
func turnOf(text string) string {
	h := fnv.New64a()
	h.Write([]byte(text))
	return fmt.Sprintf("t-%x", h.Sum64())
}

func spoken(kind sessionevents.BlockType, frame string) func(session, text string) []any {
	return func(session, text string) []any {
		return []any{Turn(session, turnOf(frame+text), Said(kind, fmt.Sprintf(frame, text)))}
	}
}

func called(tool, output string, failed bool, input func(text string) map[string]any) func(session, text string) []any {
	return func(session, text string) []any {
		shown := output
		if shown == "" {
			shown = text
		}
		return []any{Turn(session, turnOf(fmt.Sprint(input(text), shown)), Call("c1", tool, input(text), shown, failed)...)}
	}
}

func fixed(key, value string) func(string) map[string]any {
	return func(string) map[string]any { return map[string]any{key: value} }
}

func native(session, text string) []any {
	line, err := json.Marshal(map[string]any{"messages": []any{map[string]any{
		"type": "assistant", "uuid": "u1", "sessionId": session,
		"message": map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "text", "text": text}}},
	}}})
	if err != nil {
		panic(fmt.Sprintf("planted: %v", err))
	}
	return []any{&sessionevents.Turn{Session: session, TurnID: turnOf(text), Format: "blocks", Blocks: Call("c1", "Task", map[string]any{"prompt": string(line)}, "done", false)}}
}

func hooked(session, text string) []any {
	payload := func(event string, more map[string]any) *sessionevents.HookReceived {
		more["session_id"], more["hook_event_name"], more["cwd"] = session, event, "/srv/app"
		data, err := json.Marshal(more)
		if err != nil {
			panic(fmt.Sprintf("planted: %v", err))
		}
		return &sessionevents.HookReceived{Session: session, Agent: sessionevents.Agent{Kind: "claude-code"}, Event: event, Payload: data}
	}
	return []any{
		payload("UserPromptSubmit", map[string]any{"prompt": "Look at the staging box. " + text}),
		payload("PostToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": "c1", "tool_input": map[string]any{"command": "cat notes.txt"}, "tool_response": map[string]any{"stdout": text, "stderr": ""}}),
		payload("Stop", map[string]any{}),
	}
}

var orchestrator = runevents.Actor{Kind: "orchestrator", ID: "archeflow"}

// Places lists where a text can appear, in order.
var Places = []Place{
	{"user", spoken(sessionevents.BlockUser, "%s")},
	{"said", spoken(sessionevents.BlockText, "I looked around.\n\n%s\n\nNow the tests.")},
	{"thinking", spoken(sessionevents.BlockThinking, "%s")},
	{"quoted", spoken(sessionevents.BlockText, "The file holds `%s` in line 3.")},
	{"fenced", spoken(sessionevents.BlockText, "```\n%s\n```\n")},
	{"command", called("Bash", "ok", false, func(text string) map[string]any { return map[string]any{"command": text, "description": "run it"} })},
	{"output", called("Bash", "", false, fixed("command", "cat notes.txt"))},
	{"failure", called("Bash", "", true, fixed("command", "make deploy"))},
	{"written", called("Write", "File created.", false, func(text string) map[string]any {
		return map[string]any{"file_path": "notes.txt", "content": "# notes\n" + text + "\n"}
	})},
	{"edited", called("Edit", "The file was updated.", false, func(text string) map[string]any {
		return map[string]any{"file_path": "deploy.sh", "old_string": "# here", "new_string": text}
	})},
	{"deep", called("mcp__ops__call", "ok", false, func(text string) map[string]any {
		return map[string]any{"request": map[string]any{"steps": []any{map[string]any{"body": text}}}}
	})},
	{"todo", called("TodoWrite", "ok", false, func(text string) map[string]any {
		return map[string]any{"todos": []any{map[string]any{"content": text, "status": "pending", "activeForm": "Working"}}}
	})},
	{"json-in-string", native},
	{"markdown", func(session, text string) []any {
		return []any{&sessionevents.Turn{Session: session, TurnID: turnOf(text), Format: "markdown", Text: "I will deploy.\n\n" + text + "\n"}}
	}},
	{"task", func(session, text string) []any {
		return []any{&sessionevents.SessionOpened{Session: session, Task: "Deploy the shop. " + text}}
	}},
	{"constraint", func(session, text string) []any {
		return []any{&sessionevents.SessionOpened{Session: session, Task: "Deploy the shop.", Constraints: []string{"no new library", text}}}
	}},
	{"hook", hooked},
	{"run-goal", func(_, text string) []any {
		return []any{&runevents.TicketReceived{Actor: orchestrator, Title: "Deploy", Text: text}}
	}},
	{"agent-output", func(session, text string) []any {
		return []any{&runevents.AgentCompleted{Actor: orchestrator, AgentID: "maker-1", Session: session, Outcome: "success", Output: "Done. " + text}}
	}},
	{"commit-message", func(_, text string) []any {
		return []any{&runevents.GitCommit{Actor: runevents.Actor{Kind: "infra", ID: "git-hook"}, SHA: "91ac3f7", Branch: "main", Message: "deploy: " + text, Files: []string{"a.go"}}}
	}},
}

// SessionPlaces returns the places of a session's own events, without those of hooks and runs.
func SessionPlaces() (list []Place) {
	for _, p := range Places {
		switch p.Name {
		case "hook", "run-goal", "agent-output", "commit-message":
		default:
			list = append(list, p)
		}
	}
	return list
}
