package hook

import "slices"

// Inject says where a text can reach the model.
type Inject string

// Where a text can reach the model.
const (
	InjectMidTool      Inject = "mid-tool"      // with the next request, behind a tool
	InjectTurnBoundary Inject = "turn boundary" // when a response ends
	InjectNone         Inject = "none"
)

// Halt says what stopping an agent means.
type Halt string

// What stopping an agent means.
const (
	HaltHard Halt = "hard" // no tool runs and no request is made any more
	HaltSoft Halt = "soft" // no tool runs; the model is told so until it ends
	HaltNone Halt = "none"
)

// Capability is what can be done to an agent through its hooks.
type Capability struct {
	Agent  Agent
	Inject Inject
	Halt   Halt
	// Batches says that the agent tells when all tool calls of a response are
	// complete, so that this ends a turn and not each call.
	Batches bool
}

// capabilities were measured with the real command lines against mock models,
// Cursor's are from its documentation.
var capabilities = []Capability{
	{Agent: ClaudeCode, Inject: InjectMidTool, Halt: HaltHard, Batches: true},
	{Agent: Codex, Inject: InjectMidTool, Halt: HaltSoft},
	{Agent: Gemini, Inject: InjectMidTool, Halt: HaltHard},
	{Agent: Cursor, Inject: InjectMidTool, Halt: HaltSoft},
}

// Capabilities lists every agent.
func Capabilities() []Capability { return slices.Clone(capabilities) }

// Capability is what can be done to the agent; nothing, to an unknown one.
func (a Agent) Capability() Capability {
	for _, c := range capabilities {
		if c.Agent == a {
			return c
		}
	}
	return Capability{Agent: a, Inject: InjectNone, Halt: HaltNone}
}
