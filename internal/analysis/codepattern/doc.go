// Package codepattern finds patterns of code that a YAML rule describes: calls,
// assignments and key-value pairs with conditions on their arguments, and flows
// of data from a source to a sink within a function (B2, B3).
//
// It reads the new side of a hunk, which is not a whole file. Nothing is parsed unless an added
// line contains a rule's trigger; then only the function around it is read with tree-sitter, and a
// small interpreter follows values through assignments, string building, calls that pass values on
// and helpers of the same hunk. A name that the hunk does not define is of unknown origin, and a
// rule sets the confidence of that. Without cgo the rules' regular expressions replace it, with a
// confidence of at most [PlainCap]; [Tier] reports which is in use.
//
// A rule is a value of [Rule]; the facts about a language are in rules/codepattern_<language>.yaml.
package codepattern
