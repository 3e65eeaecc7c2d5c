// Package cursor is what scaffoldwatch knows of Cursor: its transcripts, which
// are lists of messages, and its hooks.
package cursor

// Name is the agent's name.
const Name = "cursor"
