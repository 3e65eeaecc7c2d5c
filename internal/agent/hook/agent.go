package hook

import (
	"fmt"
	"slices"
	"strings"
)

// Agent is a coding agent whose hooks are understood.
type Agent string

// Agents, by the name that turns carry as agent.kind.
const (
	ClaudeCode Agent = "claude-code"
	Codex      Agent = "codex"
	Gemini     Agent = "gemini"
	Cursor     Agent = "cursor"
)

// Named is the agent of a name; the error lists those there are.
func Named(name string) (Agent, error) {
	if slices.ContainsFunc(capabilities, func(c Capability) bool { return string(c.Agent) == name }) {
		return Agent(name), nil
	}
	var names []string
	for _, c := range capabilities {
		names = append(names, string(c.Agent))
	}
	return "", fmt.Errorf("no agent called %q has hooks here; there are %s", name, strings.Join(names, ", "))
}
