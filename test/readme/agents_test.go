package readme

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/hookturn"
)

// tick matches a name in code letters.
var tick = regexp.MustCompile("`[^`]+`")

// The capability matrix of the documentation agrees with the code.
func TestCapabilityMatrix(t *testing.T) {
	documented := map[string][]string{}
	for _, row := range rows(t, document(t, filepath.Join("agents", "README.md")), "# Agents") {
		if len(row) == 5 {
			documented[code(row[0])] = row
		}
	}
	var names []string
	for _, c := range all.Hooks() {
		row := documented[c.Agent]
		require.Len(t, row, 5, "%s", c.Agent)
		require.Equal(t, string(c.Inject), row[3], "%s", c.Agent)
		require.Equal(t, string(c.Halt), row[4], "%s", c.Agent)
		names = append(names, c.Agent)
	}
	require.Len(t, documented, len(names))
	require.Equal(t, names, all.Settings().Names(), "every agent with hooks can be installed")
}

// Each agent's page names every installed hook, and no other, and agrees with the matrix.
func TestAgentPages(t *testing.T) {
	words := map[hook.Halt]string{hook.HaltHard: "halts hard", hook.HaltSoft: "halts softly"}
	for _, c := range all.Hooks() {
		text := document(t, filepath.Join("agents", c.Agent+".md"))
		require.Contains(t, text, "Delivers "+string(c.Inject)+", "+words[c.Halt]+".")
		var seen []string
		for _, row := range rows(t, text, "## What is seen") {
			seen = append(seen, tick.FindAllString(row[0], -1)...)
		}
		for i := range seen {
			seen[i] = code(seen[i])
		}
		require.ElementsMatch(t, installed(t, c.Agent), seen, "%s", c.Agent)
	}
}

// Every installed hook tells us something, or can take a halt.
func TestInstalledHooksAreUnderstood(t *testing.T) {
	for _, s := range all.Settings() {
		name := s.Agent
		unknown := calledAs(t, name, "NoSuchHook")
		for _, event := range s.Hooks {
			got := calledAs(t, name, event)
			require.NotEqual(t, unknown, got, "%s %s", name, event)
		}
	}
}

// installed returns the hooks that are installed for an agent.
func installed(t *testing.T, agent string) []string {
	t.Helper()
	s, err := all.Settings().Named(agent)
	require.NoError(t, err)
	return s.Hooks
}

// understood is what a hook's call contains.
type understood struct {
	point  hook.Point
	tool   hook.Tool
	chunk  *hook.Chunk
	call   hookturn.Call
	halted string
}

// calledAs reads a hook's call that has every field.
func calledAs(t *testing.T, name, event string) understood {
	t.Helper()
	agent, err := all.Hooks().Named(name)
	require.NoError(t, err)
	e, err := agent.Parse([]byte(`{"session_id": "s", "conversation_id": "s", "hook_event_name": "` + event + `", "agent_id": "a",
		"prompt": "p", "text": "t", "delta": "d", "tool_name": "Bash", "tool_use_id": "u", "tool_input": {}, "reason": "r"}`))
	require.NoError(t, err)
	halted, err := e.Encode(hook.Reply{Halt: "h"})
	require.NoError(t, err)
	return understood{e.Point, e.Tool, e.Chunk, e.Call(), string(halted)}
}
