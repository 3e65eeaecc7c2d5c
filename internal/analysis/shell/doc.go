// Package shell derives the effects of a shell command line: what it reads, searches,
// lists, fetches and writes, and its purpose: test, build, lint, format, git, install,
// run, poll (SW-12). The line is parsed, not matched; what each command means is data
// (rules/shell.yaml).
//
// Nothing is executed, and no input makes it fail: what cannot be known (a variable, a
// command substitution, broken syntax) is left out.
package shell
