package session

// GuardDecided is what the guard answered about a tool that was about to run, where it
// was more than a plain yes: it was denied, warned of, or allowed after a snapshot
// (GD-21). Only scaffoldwatch's own hook endpoint says it; its texts are redacted (SW-7).
type GuardDecided struct {
	Session string `json:"session"` // whose call it is, a subagent's own
	Run     string `json:"run,omitempty"`
	Turn    int    `json:"turn,omitempty"` // the call is part of, from 1; 0 where nobody counts
	// Call is the agent's id of the call, Tool what the agent calls the tool.
	Call    string `json:"call,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Agent   string `json:"agent,omitempty"`   // its kind
	Command string `json:"command,omitempty"` // in short, or the file that would be written
	// Acts are what the call would have done.
	Acts    []GuardAct   `json:"acts"`
	Verdict HookDecision `json:"verdict" jsonschema:"enum=allow,enum=warn,enum=deny"`
	Class   HookClass    `json:"class,omitempty"`
	Rule    string       `json:"rule,omitempty"` // E3, B1, WP-4, …
	Text    string       `json:"text,omitempty"` // what the agent was told
	// Permission is what a person had said to it.
	Permission *GuardPermission `json:"permission,omitempty"`
	// Word is what a person types to let a denied call run once (GD-11).
	Word string `json:"allow,omitempty"`
	// RescueRef is the snapshot that was taken first.
	RescueRef string `json:"rescue_ref,omitempty"`
	// Alone says that the hook decided without a running system.
	Alone bool `json:"alone,omitempty"`
}

// GuardAct is one thing that a call does to what may not come back.
type GuardAct struct {
	Act    string `json:"act"`              // delete, overwrite, discard, rewrite history, …
	Target string `json:"target,omitempty"` // an absolute path, or a name
	// Owner is whose it is: person, session:ID, unknown.
	Owner string `json:"owner,omitempty"`
	// Certainty is certain, or possible where the line does not say its targets.
	Certainty GuardCertainty `json:"certainty,omitempty" jsonschema:"enum=certain,enum=possible"`
}

// GuardCertainty says how sure an act is.
type GuardCertainty string

// How sure an act is.
const (
	GuardCertain  GuardCertainty = "certain"
	GuardPossible GuardCertainty = "possible"
)

// GuardPermission is a person's leave (GD-10, GD-11).
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

// Happened is the outcome of the call, in one word for lists, counts and marks.
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

// GuardOutcome is the outcome of a call that the guard spoke of.
type GuardOutcome string

// Outcomes, from the strictest.
const (
	GuardDenied  GuardOutcome = "denied"
	GuardKept    GuardOutcome = "kept"
	GuardWarned  GuardOutcome = "warned"
	GuardAllowed GuardOutcome = "allowed" // by a person's word
)
