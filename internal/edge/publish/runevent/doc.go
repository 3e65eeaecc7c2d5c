// Package runevent builds run events from what a person or a script writes on a command line: a type,
// KEY=VALUE assignments and JSON. The contract's JSON Schemas define the fields and their kinds.
package runevent
