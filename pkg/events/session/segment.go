package session

import (
	"encoding/json"
	"slices"
	"strings"
)

// SegmentKind tags a segment (SW-2).
type SegmentKind string

// Segment kinds. USER holds a person's words; the others hold the primary's output.
const (
	SegmentPlan  SegmentKind = "PLAN"
	SegmentTool  SegmentKind = "TOOL"
	SegmentDiff  SegmentKind = "DIFF"
	SegmentError SegmentKind = "ERROR"
	SegmentTodo  SegmentKind = "TODO"
	SegmentUser  SegmentKind = "USER"
)

// TurnSegmented is a turn cut into segments, redacted (SW-2, SW-7).
type TurnSegmented struct {
	Session  string          `json:"session"`
	Turn     int             `json:"turn"` // from 1, per session (SW-1)
	TurnID   string          `json:"turn_id"`
	Agent    Agent           `json:"agent,omitzero"`
	Run      string          `json:"run,omitempty"`
	Segments []Segment       `json:"segments"`
	Secrets  []SecretFinding `json:"secrets,omitempty"`
	// Instructions are the instructions from files for agents (AGENTS.md, CLAUDE.md …)
	// that the turn shows (SW-13a).
	Instructions []Instruction `json:"instructions,omitempty"`
	Bytes        int           `json:"bytes"` // size of the raw turn's text
	Continuity   *Continuity   `json:"continuity,omitempty"`
	StopReason   string        `json:"stop_reason,omitempty"`
	Usage        *Usage        `json:"usage,omitempty"`
	Format       string        `json:"format,omitempty"`
	// Unsupported names formats or languages in this turn that are not watched (DP-33),
	// and what was recognized but could not be interpreted (IN-1).
	Unsupported []string `json:"unsupported,omitempty"`
	// Extra holds redacted fields of turn.raw this version does not know (EV-3).
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}

// Kinds of unsupported pieces: the first word of their name (IN-1).
const (
	UnsupportedCall   = "call"
	UnsupportedResult = "result"
	UnsupportedRecord = "record" // anything else
)

// Unread reports whether calls or results of the turn could not be interpreted, so that
// what it did is not fully known (IN-1).
func (t *TurnSegmented) Unread() bool {
	return slices.ContainsFunc(t.Unsupported, func(name string) bool {
		what, _, _ := strings.Cut(name, " ")
		return what == UnsupportedCall || what == UnsupportedResult
	})
}

// Instruction is one instruction from a file for agents.
type Instruction struct {
	File string `json:"file"` // its name, if known
	Text string `json:"text"` // a sentence or list item, with its heading if that contains the instruction
}

// Continuity records irregularities in a turn's place in its session (SW-1a).
type Continuity struct {
	Fork       bool   `json:"fork,omitempty"`    // a new branch starts here
	ForkOf     string `json:"fork_of,omitempty"` // turn id it branches from
	OutOfOrder bool   `json:"out_of_order,omitempty"`
	Compacted  bool   `json:"compacted,omitempty"` // context was compacted before this turn
	Resumed    bool   `json:"resumed,omitempty"`   // first turn after session.closed
}

// Segment is one ordered piece of a turn (SW-2).
type Segment struct {
	Index  int         `json:"index"` // from 0 within the turn
	Kind   SegmentKind `json:"kind"`
	Text   string      `json:"text,omitempty"` // PLAN, USER, ERROR prose; redacted
	Offset int         `json:"offset"`         // bytes into the turn's redacted text
	Length int         `json:"length"`         // bytes

	Path     string `json:"path,omitempty"`
	Language string `json:"language,omitempty"` // lower case: python, go, typescript, …

	Thinking bool `json:"thinking,omitempty"` // PLAN from a thinking block (SW-5)
	Proposed bool `json:"proposed,omitempty"` // DIFF shown in prose, not written (SW-4)
	Rejected bool `json:"rejected,omitempty"` // a person refused the call (SW-3)

	Tool   *ToolCall     `json:"tool,omitempty"`   // TOOL, and the call of a DIFF, TODO or ERROR
	Result *ResultDigest `json:"result,omitempty"` // TOOL and DIFF, if the result is known
	Diff   *Diff         `json:"diff,omitempty"`
	Todo   []TodoItem    `json:"todo,omitempty"`
	Error  *ErrorInfo    `json:"error,omitempty"`
	// Accesses are the reads, searches, fetches and writes of the call (SW-12).
	Accesses []Access `json:"accesses,omitempty"`
	// Symbols are defined in added lines (DIFF) or learned from a result (TOOL) (SW-10).
	Symbols []Symbol `json:"symbols,omitempty"`
	// Checks are the checks that the call runs, each with its outcome (PD-1).
	Checks []Check `json:"checks,omitempty"`
	// Imports are named in added lines or in a file that was read.
	Imports []string `json:"imports,omitempty"`
}

// CanonicalTool is a tool's role, independent of the agent's name for it.
type CanonicalTool string

// Canonical tools.
const (
	ToolRead   CanonicalTool = "read"
	ToolSearch CanonicalTool = "search"
	ToolList   CanonicalTool = "list"
	ToolEdit   CanonicalTool = "edit"
	ToolWrite  CanonicalTool = "write"
	ToolShell  CanonicalTool = "shell"
	ToolPoll   CanonicalTool = "poll" // reads a running process, job or CI state
	ToolFetch  CanonicalTool = "fetch"
	ToolTodo   CanonicalTool = "todo"
	ToolAgent  CanonicalTool = "agent" // starts a subagent
	ToolAsk    CanonicalTool = "ask"   // asks the person a question
	ToolOther  CanonicalTool = "other"
)

// ToolCall is a call as made by the agent; Input is redacted and shortened.
type ToolCall struct {
	Name      string          `json:"name"`
	Canonical CanonicalTool   `json:"canonical"`
	CallID    string          `json:"call_id,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	// InputHash is a hash of the whole redacted input, canonical JSON.
	InputHash string `json:"input_hash,omitempty"`
	// Command is the shell command line of a shell call.
	Command string `json:"command,omitempty"`
	// Effects classifies a shell command: test, build, lint, format, git, install, run, poll …
	Effects []string `json:"effects,omitempty"`
}

// AccessKind is the kind of an access.
type AccessKind string

// Access kinds.
const (
	AccessRead   AccessKind = "read"
	AccessSearch AccessKind = "search"
	AccessList   AccessKind = "list"
	AccessFetch  AccessKind = "fetch"
	AccessWrite  AccessKind = "write"
)

// Access is one read, search, listing, fetch or write that a call performs (SW-12).
type Access struct {
	Kind AccessKind `json:"kind"`
	// Target is a cleaned path, a URL or, for a search, the directory searched.
	Target string `json:"target"`
	// Query is the canonical search pattern with its flags.
	Query string `json:"query,omitempty"`
	// From and To are lines from 1; 0, 0 is the whole file; a To of 0 means to the end.
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`
}

// ResultDigest replaces a tool's output, which is not stored (SW-6).
type ResultDigest struct {
	Bytes    int    `json:"bytes"`
	Lines    int    `json:"lines,omitempty"`
	IsError  bool   `json:"is_error,omitempty"`
	ExitCode *int   `json:"exit_code,omitempty"`
	Head     string `json:"head,omitempty"` // first 400 bytes, redacted
	Tail     string `json:"tail,omitempty"` // last 400 bytes, redacted; empty if Head holds everything
	// Hash is computed after volatile parts of the output were normalized, 16 hex digits.
	Hash string `json:"hash,omitempty"`
}

// DiffOperation is the effect of an edit on its file.
type DiffOperation string

// Diff operations.
const (
	DiffCreate DiffOperation = "create"
	DiffUpdate DiffOperation = "update"
	DiffDelete DiffOperation = "delete"
	DiffRename DiffOperation = "rename"
)

// Diff is one file's edit.
type Diff struct {
	Op      DiffOperation `json:"op"`
	OldPath string        `json:"old_path,omitempty"`
	Hunks   []Hunk        `json:"hunks,omitempty"`
	// Failed reports whether the tool said that the edit was not applied.
	Failed bool `json:"failed,omitempty"`
	// Truncated counts the lines left out because the edit exceeded the limit.
	Truncated int `json:"truncated_lines,omitempty"`
}

// Hunk is a run of lines, each with its ' ', '+' or '-' mark as in a unified diff. A
// start of 0 means the position is unknown.
type Hunk struct {
	OldStart int      `json:"old_start,omitempty"`
	NewStart int      `json:"new_start,omitempty"`
	Lines    []string `json:"lines"`
}

// Line is one added or removed line; Number is 0 if the position is unknown.
type Line struct {
	Number int
	Text   string
}

// Added returns the added lines in order, with their numbers in the new file.
func (d *Diff) Added() []Line { return d.side('+') }

// Removed returns the removed lines in order, with their numbers in the old file.
func (d *Diff) Removed() []Line { return d.side('-') }

func (d *Diff) side(mark byte) []Line {
	if d == nil {
		return nil
	}
	count := 0
	for _, h := range d.Hunks {
		for _, l := range h.Lines {
			if l != "" && l[0] == mark {
				count++
			}
		}
	}
	if count == 0 {
		return nil
	}
	out := make([]Line, 0, count)
	for _, h := range d.Hunks {
		n := h.NewStart
		if mark == '-' {
			n = h.OldStart
		}
		known := n > 0
		for _, l := range h.Lines {
			if l == "" {
				l = " "
			}
			if l[0] == mark {
				out = append(out, Line{Number: n, Text: l[1:]})
			}
			if known && (l[0] == mark || l[0] == ' ') {
				n++
			}
		}
	}
	return out
}

// TodoStatus is the status of an entry of a todo list.
type TodoStatus string

// Statuses of a todo entry, independent of the agent's words for them.
const (
	TodoPending    TodoStatus = "pending"
	TodoInProgress TodoStatus = "in_progress"
	TodoCompleted  TodoStatus = "completed"
	TodoCancelled  TodoStatus = "cancelled"
)

// TodoItem is one entry of a todo list or plan.
type TodoItem struct {
	ID     string     `json:"id,omitempty"`
	Text   string     `json:"text"`
	Status TodoStatus `json:"status,omitempty" jsonschema:"enum=pending,enum=in_progress,enum=completed,enum=cancelled"`
}

// ErrorInfo is a failed result (SW-3).
type ErrorInfo struct {
	ExitCode *int `json:"exit_code,omitempty"`
	// Signature is the error line with volatile parts normalized, at most 200 bytes.
	Signature string `json:"signature"`
	// Confidence is 1 for a reported failure, lower if only the output indicates it.
	Confidence float64 `json:"confidence"`
	Transient  bool    `json:"transient,omitempty"` // 429, 503, timeout, connection refused
}

// SecretTier is the kind of evidence that a text is a secret (B1).
type SecretTier string

// Tiers, strongest first.
const (
	SecretProvider     SecretTier = "provider"      // the pattern of a provider's keys
	SecretNamedEntropy SecretTier = "named_entropy" // credential-like name, random value
	SecretNamedLiteral SecretTier = "named_literal" // credential-like name, literal value
	SecretEntropy      SecretTier = "entropy"       // random value in a weaker context
)

// SecretFinding is a secret that was replaced by ‹secret:RULE:FINGERPRINT› everywhere in the turn
// (SW-7). One entry per occurrence.
type SecretFinding struct {
	Rule        string     `json:"rule"`
	Fingerprint string     `json:"fingerprint"` // first 12 hex of HMAC-SHA256
	Tier        SecretTier `json:"tier" jsonschema:"enum=provider,enum=named_entropy,enum=named_literal,enum=entropy"`
	Confidence  float64    `json:"confidence"`
	Entropy     float64    `json:"entropy"` // bits per character
	Length      int        `json:"length"`  // bytes of the secret
	Variable    string     `json:"variable,omitempty"`
	Placeholder bool       `json:"placeholder,omitempty"`
	TestFile    bool       `json:"test_file,omitempty"`
	Validated   bool       `json:"validated,omitempty"` // a provider pattern whose structure and entropy were verified
	Path        string     `json:"path,omitempty"`      // file the text belongs to, if known
	// Block is the index of its block, -1 outside blocks; Pointer is the field within it:
	// "input#3" is the fourth string of its JSON.
	Block   int    `json:"block"`
	Pointer string `json:"pointer,omitempty"`
	// Segment, Offset and Length locate the marker in the segment's text; -1 if no kept
	// segment holds it.
	Segment int `json:"segment"`
	Offset  int `json:"offset"`
}
