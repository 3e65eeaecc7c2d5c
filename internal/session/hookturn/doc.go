// Package hookturn assembles turns from the calls of an agent's hooks (SW-1).
//
// A [Call] is one hook call in a form common to all agents; [State.Fold] folds it and
// returns the turns that it completes. A turn is complete
//
//   - when its batch of tool calls is ([BorderBatch]), or, with agents that do
//     not report batches, when a tool call is ([BorderCall]);
//   - when the response ends ([BorderTurn]), or the session does;
//   - before a person's message, and before prose that follows results: both
//     begin the next response, even if a hook is missing;
//   - when it holds more than [MaxOpen] bytes.
//
// Hooks may be called in any order, twice, or not at all: a call that is reported twice
// counts once, a result without its call adds the call, a result that arrives after its
// turn is alone in the next turn, and nothing that was reported is lost.
//
// The state is stored in a durable stream between two hooks, so it never holds a secret
// (SW-7): each piece is redacted on arrival, together with the turn so far, and the whole
// turn again when it is complete.
//
// Transcripts are turned into turns elsewhere (internal/agent/transcript): a file
// contains each record once and in order and marks where a response ends, so nothing
// needs to be inferred there. The inferences made here would alter such files: they drop
// a repeated result and add a call to a result whose call is missing.
package hookturn
