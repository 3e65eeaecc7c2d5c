package hookturn

import sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"

// Border is the border of a turn that a hook call marks.
type Border int

// Borders of turns.
const (
	BorderNone  Border = iota
	BorderCall         // a tool call is complete, for agents that do not report batches
	BorderBatch        // all tool calls of the response are complete
	BorderTurn         // the response is complete
)

// Call is the content of one hook call. The zero value is an empty call.
type Call struct {
	// Subagent is the agent's own name of the calling subagent, "" for the session
	// itself; Archetype is its role, e.g. "explore".
	Subagent  string
	Archetype string

	Model      string
	Workspace  string
	Transcript string // where the agent records the session

	Opens    bool   // the session starts, or continues after its end
	Closes   string // why the session ends, "" if it does not
	Compacts bool   // the context is compacted before what follows (SW-1a)

	Pieces []Piece // in order
	Border Border  // after the pieces
	// Failed is why the response ended prematurely, "" if it did not.
	Failed string
}

// Piece is a part of a turn. A tool result carries the name and input of its call, since
// the call itself may not have been reported.
type Piece struct {
	Block sessionevents.Block
	// Batch reports whether the result is part of its batch's list, which also includes
	// results that were reported before and refused calls.
	Batch bool
	// Closing reports whether the text is the last message of the response, which may
	// have been reported before.
	Closing bool
}

// Turn is a completed turn, redacted.
type Turn struct {
	Blocks     []sessionevents.Block
	Secrets    []sessionevents.SecretFinding // by block
	Compacted  bool
	StopReason string // end_turn, tool_use, the kind of failure, or "" if unknown
}

// Redactor replaces secrets (SW-7).
type Redactor interface {
	// Turn returns a redacted copy and the findings, located by block.
	Turn(sessionevents.Turn) (sessionevents.Turn, []sessionevents.SecretFinding)
	// Repeats does the same for values found earlier that recur in the turn and are known
	// only by their fingerprints.
	Repeats(turn sessionevents.Turn, earlier []sessionevents.SecretFinding) (sessionevents.Turn, []sessionevents.SecretFinding)
}
