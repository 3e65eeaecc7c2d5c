// Package loose reads JSON fields whose type differs between versions of a
// format: text that is a string, a list of parts or an object; times as text or
// numbers; arguments as JSON or as a string that holds JSON. Reading never
// fails on a type: what cannot be understood is empty.
package loose
