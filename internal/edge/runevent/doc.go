// Package runevent makes run events of what a person or a script writes on a
// command line: a type, KEY=VALUE assignments and JSON. The JSON Schemas of the
// contract say which fields there are and of what kind.
package runevent
