package hookturn

import sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"

// Border is what a hook call says about the turn it belongs to.
type Border int

// Borders of turns.
const (
	BorderNone  Border = iota
	BorderCall         // a tool call is complete, with agents that report no batches
	BorderBatch        // all tool calls of the response are complete
	BorderTurn         // the response is complete
)

// Call is what one hook call says. The zero value says nothing.
type Call struct {
	// Subagent is the agent's own name of the subagent that speaks, "" for the
	// session itself; Archetype is its role, e.g. "explore".
	Subagent  string
	Archetype string

	Model      string
	Workspace  string
	Transcript string // where the agent writes the session down

	Opens    bool   // the session starts, or goes on after its end
	Closes   string // why the session ends, "": it does not
	Compacts bool   // the context is compacted before what follows (SW-1a)

	Pieces []Piece // in order
	Border Border  // after them
	// Failed is why the response ended without coming to its end, "": it did not.
	Failed string
}

// Piece is a part of a turn. A tool result carries the name and input of its
// call, which may never have been reported.
type Piece struct {
	Block sessionevents.Block
	// Batch says that the result is in the list of its batch, where results
	// that were reported before and refused calls are too.
	Batch bool
	// Closing says that the text is the last message of the response, which may
	// have been reported before.
	Closing bool
}

// Turn is a completed turn, redacted.
type Turn struct {
	Blocks     []sessionevents.Block
	Secrets    []sessionevents.SecretFinding // by block
	Compacted  bool
	StopReason string // end_turn, tool_use, how it failed, or "" if unknown
}

// Redactor replaces secrets (SW-7).
type Redactor interface {
	// Turn returns a redacted copy and the findings, located by block.
	Turn(sessionevents.Turn) (sessionevents.Turn, []sessionevents.SecretFinding)
	// Repeats does the same for values that were found earlier and are in the
	// turn again, which are known by their fingerprints only.
	Repeats(turn sessionevents.Turn, earlier []sessionevents.SecretFinding) (sessionevents.Turn, []sessionevents.SecretFinding)
}
