//go:build !cgo

package syntax

// Tier returns the method that confirms a declaration: "tree" with cgo, else "regex".
func Tier() string { return "regex" }

// parserPool is empty: parsers need cgo.
type parserPool struct{}

// confirm leaves the candidates as their patterns saw them.
func (l *language) confirm(string, []candidate) {}

func newParserPool(*language, string) parserPool { return parserPool{} }
