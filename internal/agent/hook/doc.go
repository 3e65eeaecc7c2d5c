// Package hook speaks the hooks of coding agents: what an agent tells in one
// call is read by [Parse], and what is said back is written by [Encode], in the
// agent's own JSON. Claude Code, Codex and Cursor share one shape of what they
// tell; what they take back differs: Codex drops a whole reply for one field it
// does not know, so a reply holds only fields of its agent and event.
package hook
