package session

import "encoding/json"

// Agent is the producer of a turn. In JSON a plain string is read as its ID.
type Agent struct {
	ID            string `json:"id,omitempty"`
	Kind          string `json:"kind,omitempty"` // claude-code, codex, gemini, …
	Model         string `json:"model,omitempty"`
	Archetype     string `json:"archetype,omitempty"`
	ParentSession string `json:"parent_session,omitempty"` // set on a subagent's session (SW-1)
}

// UnmarshalJSON accepts an object or a bare id.
func (a *Agent) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		*a = Agent{}
		return json.Unmarshal(b, &a.ID)
	}
	type plain Agent
	return json.Unmarshal(b, (*plain)(a))
}

// SessionOpened starts a session; publishers may send it late or omit it.
type SessionOpened struct {
	Session     string       `json:"session"`
	Task        string       `json:"task,omitempty"`
	Constraints []string     `json:"constraints,omitempty"`
	Conventions []Convention `json:"conventions,omitempty"`
	Codebase    *Codebase    `json:"codebase,omitempty"`
	Agent       *Agent       `json:"agent,omitempty"`
	Run         string       `json:"run,omitempty"`
	Workspace   string       `json:"workspace,omitempty"`
	// Transcript is the path where the agent records the session, according to the agent.
	Transcript string `json:"transcript,omitempty"`
}

// Convention is a rule of the codebase that A2 checks.
type Convention struct {
	ID      string   `json:"id"`
	Rule    string   `json:"rule"`
	Wrapper string   `json:"wrapper,omitempty"` // the established wrapper to use
	Bypass  []string `json:"bypass,omitempty"`  // imports or calls that bypass it
	Family  string   `json:"family,omitempty"`  // of libraries, e.g. "http-client"
	Paths   []string `json:"paths,omitempty"`   // file patterns it applies to; empty: everywhere
	// Inferred is set if the convention follows from a dependency manifest and was not
	// declared.
	Inferred bool `json:"inferred,omitempty"`
}

// Codebase is an index of what exists before the session (`scaffoldwatch index`).
type Codebase struct {
	Files   []string `json:"files,omitempty"`
	Symbols []Symbol `json:"symbols,omitempty"`
}

// Symbol is a named thing in code.
type Symbol struct {
	Name      string `json:"name"`
	Kind      string `json:"kind,omitempty"` // function, method, class, interface, type, constant, module
	Path      string `json:"path,omitempty"`
	Line      int    `json:"line,omitempty"` // from 1; 0 unknown
	Language  string `json:"language,omitempty"`
	Signature string `json:"signature,omitempty"` // parameter list as written, with normalized white space
	Container string `json:"container,omitempty"` // enclosing class, module or receiver type
	// Shingles is a bottom-k sketch (k ≤ 64) of the body's 4-token shingle hashes,
	// ascending; empty if the body is unknown.
	Shingles []uint32 `json:"shingles,omitempty"`
	// Calls is a bottom-k sketch (k ≤ 16) of the hashes of the names that the
	// body calls, ascending.
	Calls []uint32 `json:"calls,omitempty"`
	// Bases lists what a class extends or implements, as written, without type arguments.
	Bases []string `json:"bases,omitempty"`
	// Local is set for a symbol declared inside a function, or indented in a fragment
	// that does not show its surroundings.
	Local bool `json:"local,omitempty"`
}

// Turn is the data of turn.raw: one response of the primary with the results of its tool
// calls, and the user messages before it (SW-1).
type Turn struct {
	Session string `json:"session"`
	TurnID  string `json:"turn_id" jsonschema:"maxLength=256"`
	Agent   Agent  `json:"agent,omitzero"`
	Run     string `json:"run,omitempty"`
	// Format is "blocks", "markdown" or a native one ("claude-code", "codex", …).
	Format     string          `json:"format,omitempty"`
	Blocks     []Block         `json:"blocks,omitempty"`
	Text       string          `json:"text,omitempty"`   // with format markdown
	Native     json.RawMessage `json:"native,omitempty"` // with a native format
	StopReason string          `json:"stop_reason,omitempty"`
	Usage      *Usage          `json:"usage,omitempty"`
	// Compacted reports whether the context was compacted before this turn (SW-1a).
	Compacted bool `json:"compacted,omitempty"`
	// ForkOf is the id of the turn from which this turn branches after a rewind (SW-1a).
	ForkOf string `json:"fork_of,omitempty" jsonschema:"maxLength=256"`
	// Unsupported names what the publisher recognized but could not interpret: "call
	// shell", "result shell", "record note" (IN-1). After a call or a result, no signal
	// rests on what the session did not do.
	Unsupported []string `json:"unsupported,omitempty" jsonschema:"maxItems=32"`
}

// BlockType tags a block of a structured turn.
type BlockType string

// Block types.
const (
	BlockUser       BlockType = "user"
	BlockText       BlockType = "text"
	BlockThinking   BlockType = "thinking"
	BlockToolCall   BlockType = "tool_call"
	BlockToolResult BlockType = "tool_result"
)

// Block is one ordered piece of a structured turn. Text serves user, text and
// thinking; ID joins a tool_call to its tool_result.
type Block struct {
	Type     BlockType       `json:"type"`
	Text     string          `json:"text,omitempty"`
	ID       string          `json:"id,omitempty"`
	Name     string          `json:"name,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"`
	Output   string          `json:"output,omitempty"`
	IsError  *bool           `json:"is_error,omitempty"`
	ExitCode *int            `json:"exit_code,omitempty"`
	Rejected bool            `json:"rejected,omitempty"` // a person refused the call (SW-3)
	// Patch is the applied edit as unified hunks, if the harness knows the real line
	// numbers (for example Claude Code's structuredPatch).
	Patch []FilePatch `json:"patch,omitempty"`
}

// FilePatch is the edit that a tool actually applied to one file.
type FilePatch struct {
	Path    string        `json:"path"`
	OldPath string        `json:"old_path,omitempty"` // on a rename
	Op      DiffOperation `json:"op,omitempty"`
	Hunks   []Hunk        `json:"hunks,omitempty"`
}

// Usage is token accounting as the agent reported it.
type Usage struct {
	InputTokens  int64   `json:"input_tokens,omitempty"`
	OutputTokens int64   `json:"output_tokens,omitempty"`
	CacheRead    int64   `json:"cache_read_tokens,omitempty"`
	CacheWrite   int64   `json:"cache_write_tokens,omitempty"`
	CostUSD      float64 `json:"cost_usd,omitempty"`
}

// SessionClosed ends a session (DP-30).
type SessionClosed struct {
	Session string `json:"session"`
	Reason  string `json:"reason,omitempty"` // completed, idle_timeout, end_of_transcript, …
}

// DeliveryState is a fact about an interrupt on its way to an agent (DP-21).
type DeliveryState string

// Delivery states.
const (
	DeliveryEmitted     DeliveryState = "emitted"
	DeliveryDelivered   DeliveryState = "delivered"
	DeliveryAcked       DeliveryState = "acked"
	DeliveryHeeded      DeliveryState = "heeded"
	DeliveryIgnored     DeliveryState = "ignored"
	DeliveryDismissed   DeliveryState = "dismissed"
	DeliveryExpired     DeliveryState = "expired"
	DeliveryUnsupported DeliveryState = "unsupported"
)

// InterruptDelivery reports the delivery of an interrupt. Interrupt is its id; a harness
// that does not know it sets Session and Turn instead.
type InterruptDelivery struct {
	Interrupt string        `json:"interrupt,omitempty"`
	Session   string        `json:"session,omitempty"`
	Turn      int           `json:"turn,omitempty"`
	State     DeliveryState `json:"state"`
	Channel   string        `json:"channel,omitempty"`
	By        string        `json:"by,omitempty"`
}
