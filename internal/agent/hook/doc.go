// Package hook is what the hooks of coding agents have in common: what a call
// says is read by [Dialect.Parse], and a reply is written by [Event.Encode], in
// the agent's own JSON. A [Dialect] is what differs between agents; each agent's
// own package holds its value. Claude Code, Codex and Cursor share one shape of
// what they send; what they accept differs: Codex drops a whole reply for one
// field it does not know, so a reply holds only fields of its agent and event.
package hook
