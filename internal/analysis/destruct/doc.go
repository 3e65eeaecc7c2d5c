// Package destruct determines what a command line would destroy: uncommitted work,
// branches, history, files, data, infrastructure, processes by name (E3, DP-24). It reads
// the commands that package shell finds, wherever they are on the line; what each of them
// does is data (rules/destruct.yaml, rules/guard/).
//
// Things that a build recreates, temporary folders, and what the same line created or
// copied before are left out. Nothing is executed, and no input makes it fail.
package destruct
