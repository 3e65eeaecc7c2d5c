// Package experiment runs a project's own checks when a person asks for it, or, where the
// configuration says so, once a response is complete, and writes the receipt
// (JD-21): the command that the project names for its tests, its build or its linters, in a clean process
// of the workspace or of a temporary worktree, with a time limit. What an agent says is never run.
package experiment
