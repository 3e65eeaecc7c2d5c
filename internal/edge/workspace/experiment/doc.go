// Package experiment runs a project's own checks, when a person asks for it or, if so configured, once a
// response is complete, and writes the receipt (JD-21): the command that the project names for its tests,
// build or linters, in a clean process in the workspace or a temporary worktree, with a time limit. A
// command that an agent names is never run.
package experiment
