// Package checkrun finds what a command line checks, and the results according to its
// output: tests, builds, linters, type checkers, runs of a program and requests to it
// (PD-1, PD-2). How commands are recognized and what they print is data
// (rules/checkrun.yaml).
//
// The output decides; an exit code counts only if it is the command's own, not that of a
// pipe, of "|| true" or of a later command.
package checkrun
