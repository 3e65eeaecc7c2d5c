// Package hookturn assembles turns from the calls of an agent's hooks (SW-1).
//
// A [Call] is one hook call in a form common to all agents; [State.Fold] folds it and returns the
// turns that it completes. A turn is complete
//
//   - when its batch of tool calls is ([BorderBatch]), or, with agents that do
//     not report batches, when a tool call is ([BorderCall]);
//   - when the response ends ([BorderTurn]), or the session does;
//   - before a person's message, and before prose that follows results: both
//     begin the next response, whatever hook is missing;
//   - when it holds more than [MaxOpen] bytes.
//
// Hooks come in any order, twice, or not at all: a call that is reported twice
// counts once, a result without its call brings the call along, one that comes
// after its turn is alone in the next, and nothing that was reported once is lost.
//
// The state is stored in a durable stream between two hooks, so it never holds
// a secret (SW-7): each piece is redacted as it comes, with what is known of the
// turn so far, and the whole turn again when it is complete.
//
// Turns of transcripts are made elsewhere (internal/agent/transcript): a file holds
// each record once and in order and says itself where a response ends, so nothing
// is inferred there. These inferences would change what files say: they drop a
// result that a file repeats and add a call to one whose call is missing.
package hookturn
