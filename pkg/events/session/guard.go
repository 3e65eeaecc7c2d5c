package session

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
