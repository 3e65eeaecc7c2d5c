//go:build !cgo

package syntax

// Tier returns the method that confirms a declaration: "tree" with cgo, otherwise
// "regex".
func Tier() string { return "regex" }

// parserPool is empty, since parsers need cgo.
type parserPool struct{}

// confirm keeps the candidates as their patterns matched them.
func (l *language) confirm(string, []candidate) {}

func newParserPool(*language, string) parserPool { return parserPool{} }
