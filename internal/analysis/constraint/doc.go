// Package constraint turns what people forbid or require for a piece of work into objects
// that a file or command can be checked against (PD-10): paths, parts of paths, commands
// and flags, environments, numbers and amounts. The words are data
// (rules/constraint.yaml).
//
// What cannot be checked ("keep it simple") is left out. Nothing is executed, and no
// input makes it fail.
package constraint
