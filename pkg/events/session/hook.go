package session

import "encoding/json"

// HookReceived is one call of an agent's hook (SW-1): a piece of a turn, in the agent's
// own words. Ingest assembles the turn from it. A call holds only complete texts: a
// forwarder joins text that an agent streams in chunks, so that no secret is split
// between two events (SW-7).
type HookReceived struct {
	// Session is the session that the agent names. A subagent's calls name their parent's
	// session, and the payload identifies the subagent.
	Session string `json:"session"`
	// Agent.Kind is the agent that the hooks belong to: claude-code, codex, copilot, gemini, cursor.
	Agent     Agent           `json:"agent"`
	Event     string          `json:"event"`   // the hook's own name, e.g. PostToolBatch
	Payload   json.RawMessage `json:"payload"` // the hook's input from the agent, a JSON object
	Run       string          `json:"run,omitempty"`
	Workspace string          `json:"workspace,omitempty"` // if the payload does not contain it
	// Answer is the answer to the agent about the tool that is about to run (DP-24), nil
	// if there was none. Only scaffoldwatch's own hook sets it.
	Answer *HookAnswer `json:"answer,omitempty"`
}

// HookDecision is the answer to an agent about a tool call (DP-24).
type HookDecision string

// Decisions about a tool call.
const (
	HookAllow HookDecision = "allow"
	HookWarn  HookDecision = "warn" // it runs, and the agent receives the text
	HookDeny  HookDecision = "deny"
)

// HookClass is the kind of reason for an answer other than a plain allow.
type HookClass string

// Classes of answers; each can be set to off, warn or deny.
const (
	HookSelfRelease  HookClass = "self_release" // the agent answers on behalf of the person (RW-34)
	HookHalt         HookClass = "halt"
	HookSecurity     HookClass = "security"
	HookCommitToMain HookClass = "commit_to_main"
	HookDestructive  HookClass = "destructive" // it destroys something that may be missed (E3)
)

// HookAnswer is what was decided about a tool call before it ran (DP-24), for an
// audit; its texts are redacted (SW-7).
type HookAnswer struct {
	Decision HookDecision `json:"decision" jsonschema:"enum=allow,enum=warn,enum=deny"`
	Class    HookClass    `json:"class,omitempty"`
	Rule     string       `json:"rule,omitempty"`   // e.g. SELF-RELEASE, RW-33, B1
	Text     string       `json:"text,omitempty"`   // for the agent
	Reason   string       `json:"reason,omitempty"` // for people; with allow, its condition
}
