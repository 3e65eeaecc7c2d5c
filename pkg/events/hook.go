package events

import "encoding/json"

// HookReceived is one call of an agent's hook (SW-1): a piece of a turn, in the
// agent's own words. Ingest assembles the turn from it. A call holds whole texts
// only: who forwards text that an agent shows in chunks joins them first, so
// that no secret is cut between two events (SW-7).
type HookReceived struct {
	// Session is the session the agent names; a subagent's calls name their
	// parent's, and the payload which subagent it is.
	Session string `json:"session"`
	// Agent.Kind says whose hooks these are: claude-code, codex, gemini, cursor.
	Agent     Agent           `json:"agent"`
	Event     string          `json:"event"`   // the hook's own name, e.g. PostToolBatch
	Payload   json.RawMessage `json:"payload"` // what the agent gave the hook, a JSON object
	Run       string          `json:"run,omitempty"`
	Workspace string          `json:"workspace,omitempty"` // where the payload does not tell
}
