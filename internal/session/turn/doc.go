// Package assembly makes turns of what an agent's hooks tell one by one (SW-1).
//
// A [Call] is one hook call in no agent's own words; [State.Fold] takes it and
// gives back the turns that it completes. A turn is complete
//
//   - when its batch of tool calls is ([BorderBatch]), or, with agents that do
//     not tell batches, when a tool call is ([BorderCall]);
//   - when the response ends ([BorderTurn]), or the session does;
//   - before a person's message, and before prose that follows results: both
//     begin the next response, whatever hook is missing;
//   - when it holds more than [MaxOpen] bytes.
//
// Hooks come in any order, twice, or not at all: a call that is told twice
// stands once, a result without its call brings the call along, one that comes
// after its turn stands alone in the next, and nothing that was told once is
// lost.
//
// The state is stored in a durable stream between two hooks, so it never holds
// a secret (SW-7): each piece is redacted as it comes, with what is known of the
// turn so far, and the whole turn again when it is complete.
package turn
