// Package codepattern finds patterns of code that a YAML rule describes: calls,
// assignments and key-value pairs with conditions on their arguments, and flows
// of data from a source to a sink within a function (B2, B3).
//
// It reads the new side of a hunk, which is not a whole file. Nothing is parsed
// unless a rule's trigger stands in an added line; then only the function around
// it is read with tree-sitter, and a small interpreter follows values through
// assignments, string building, calls that pass values on and helpers of the same
// hunk. What a name means that the hunk does not show is unknown, and a rule says
// what that is worth. Without cgo the rules' regular expressions take its place,
// with a confidence of at most [PlainCap]; [Tier] says so.
//
// A rule is a value of [Rule], what is known of a language stands in
// rules/codepattern_<language>.yaml.
package codepattern
