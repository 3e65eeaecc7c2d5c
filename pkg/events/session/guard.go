package session

import "encoding/json"

// GuardDecided is the guard's answer about a tool that was about to run, unless it was a
// plain allow: the call was denied, warned about, or allowed after a snapshot (GD-21).
// Only scaffoldwatch's own hook endpoint sends it; its texts are redacted (SW-7).
type GuardDecided struct {
	Session string `json:"session"` // the session of the call, a subagent's own
	Run     string `json:"run,omitempty"`
	Turn    int    `json:"turn,omitempty"` // the turn of the call, from 1; 0 if unknown
	// Workspace is the session's folder: it names a session of which nothing else is known (CO-5).
	Workspace string `json:"workspace,omitempty"`
	// Call is the agent's id of the call, Tool the agent's name of the tool.
	Call    string `json:"call,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Agent   string `json:"agent,omitempty"`   // its kind
	Command string `json:"command,omitempty"` // shortened, or the file to be written
	// Acts are what the call would have done.
	Acts    []GuardAct   `json:"acts"`
	Verdict HookDecision `json:"verdict" jsonschema:"enum=allow,enum=warn,enum=deny"`
	Class   HookClass    `json:"class,omitempty"`
	Rule    string       `json:"rule,omitempty"` // E3, B1, WP-4, …
	Text    string       `json:"text,omitempty"` // the text for the agent
	// Permission is a person's permission for the call, if any.
	Permission *GuardPermission `json:"permission,omitempty"`
	// Word is what a person types to allow a denied call once (GD-11).
	Word string `json:"allow,omitempty"`
	// RescueRef is the snapshot that was taken before the call.
	RescueRef string `json:"rescue_ref,omitempty"`
	// Alone reports whether the hook decided without a running system.
	Alone bool `json:"alone,omitempty"`
}

// GuardAct is one effect of a call on something that may not be recoverable.
type GuardAct struct {
	Act    string `json:"act"`              // delete, overwrite, discard, rewrite history, …
	Target string `json:"target,omitempty"` // an absolute path, or a name
	// Owner is the owner of the target: person, session:ID, unknown.
	Owner string `json:"owner,omitempty"`
	// Certainty is certain, or possible if the command line does not determine its
	// targets.
	Certainty GuardCertainty `json:"certainty,omitempty" jsonschema:"enum=certain,enum=possible"`
}

// GuardCertainty is how certain an act is.
type GuardCertainty string

// Certainties of an act.
const (
	GuardCertain  GuardCertainty = "certain"
	GuardPossible GuardCertainty = "possible"
)

// GuardPermission is a person's permission (GD-10, GD-11).
type GuardPermission struct {
	// How it was given: asked (in the request), prompt (the word of a denial, typed in
	// the chat), command (`scaffoldwatch allow`).
	How GuardWay `json:"how" jsonschema:"enum=asked,enum=prompt,enum=command"`
	By  string   `json:"by,omitempty"`
}

// GuardWay is how a permission was given.
type GuardWay string

// Ways in which a permission is given.
const (
	GuardAsked   GuardWay = "asked"
	GuardPrompt  GuardWay = "prompt"
	GuardCommand GuardWay = "command"
)

// Kept reports whether a snapshot was taken.
func (d *GuardDecided) Kept() bool { return d.RescueRef != "" }

// Happened returns the outcome of the call as one word for lists, counts and marks.
func (d *GuardDecided) Happened() GuardOutcome {
	switch {
	case d.Verdict == HookDeny:
		return GuardDenied
	case d.Kept():
		return GuardKept
	case d.Permission != nil && d.Verdict == HookAllow:
		return GuardAllowed
	}
	return GuardWarned
}

// GuardOutcome is the outcome of a call that the guard decided about.
type GuardOutcome string

// Outcomes, strictest first.
const (
	GuardDenied  GuardOutcome = "denied"
	GuardKept    GuardOutcome = "kept"
	GuardWarned  GuardOutcome = "warned"
	GuardAllowed GuardOutcome = "allowed" // with a person's permission
)

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
