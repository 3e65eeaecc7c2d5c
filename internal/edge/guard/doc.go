// Package guard answers an agent's question about a tool that is about to run, from what is
// known of its workspace: whose work is not committed, which sessions are at work there, what
// the person said. It keeps a snapshot of what a command that runs all the same would destroy
// (DP-24, GD-1).
package guard
