// Package shell tells what a shell command line does to files and the world:
// what it reads, searches, lists, fetches and writes, and what running it is —
// test, build, lint, format, git, install, run, poll (SW-12). The line is
// parsed, not matched; what each command means is data (rules/shell.yaml).
//
// Nothing is executed and nothing fails: what cannot be told (a variable, a
// command substitution, broken syntax) is left out.
package shell
