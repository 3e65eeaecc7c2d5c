// Package hook holds what the hooks of coding agents share: [Dialect.Parse] reads a call, and
// [Event.Encode] writes a reply, in the agent's own JSON. A [Dialect] is what differs between agents; each
// agent's own package holds its value. Claude Code, Codex and Cursor send the same kind of input; what they
// accept differs: Codex drops a whole reply because of one unknown field, so a reply contains only fields
// of its agent and event.
package hook
