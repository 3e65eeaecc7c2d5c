// Package redact replaces every secret in the input by ‹secret:RULE:FINGERPRINT› before
// anything is stored (SW-7).
//
// A turn is split into its strings (blocks, the strings of tool inputs and of native
// JSON, outputs, patches). Each is scanned by itself; the ends of neighbours of one kind
// are scanned joined, so that a secret cut by a block border is found and both parts are
// marked; and a value found once is replaced everywhere in the turn, even if escaped as
// JSON. This is repeated until nothing is found, so that redacting twice changes nothing.
//
// # Turn borders
//
// A turn is one complete response of the primary with its results (SW-1): a publisher
// splits its own stream into blocks, not into turns, so a turn border is never a chunk
// border and a secret never continues in the next turn. Joining turns would need text of
// the earlier one in the state, which is snapshotted to a durable stream, and SW-7
// forbids that; a keyed hash of the tail cannot be matched against an unknown rest.
// Values that were found are another matter: [Memory] keeps keyed hashes of them, so that
// a repeat is found in every later event of the group, by [Redactor.With].
package redact
