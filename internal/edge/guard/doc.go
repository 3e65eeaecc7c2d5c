// Package guard answers an agent's question about a tool that is about to run, from what is known of its
// workspace: whose work is uncommitted, which sessions are at work there, and what the person said. It
// keeps a snapshot of what a permitted command would destroy (DP-24, GD-1).
package guard
