// Package destruct says what a command line would destroy: uncommitted work, branches,
// history, files, data, infrastructure, processes by name (E3, DP-24). It reads the commands
// that package shell finds, wherever they are on the line; what each of them does is data
// (rules/destruct.yaml, rules/guard/).
//
// What a build makes again, temporary folders, what the same line made before and what it
// copied before are left out. Nothing is executed, and nothing fails.
package destruct
