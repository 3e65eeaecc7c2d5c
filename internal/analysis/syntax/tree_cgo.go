//go:build cgo

package syntax

import (
	"unsafe"

	sitter "github.com/tree-sitter/go-tree-sitter"
	golang "github.com/tree-sitter/tree-sitter-go/bindings/go"
	java "github.com/tree-sitter/tree-sitter-java/bindings/go"
	javascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	php "github.com/tree-sitter/tree-sitter-php/bindings/go"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
	ruby "github.com/tree-sitter/tree-sitter-ruby/bindings/go"
	rust "github.com/tree-sitter/tree-sitter-rust/bindings/go"
	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

// Tier says what confirms a declaration: "tree" with cgo, else "regex".
func Tier() string { return "tree" }

// grammars are read as if the file were already inside its code: PHP without
// the opening tag.
var grammars = map[string]func() unsafe.Pointer{
	"python":     python.Language,
	"javascript": javascript.Language,
	"typescript": typescript.LanguageTypescript,
	"go":         golang.Language,
	"java":       java.Language,
	"ruby":       ruby.Language,
	"php":        php.LanguagePHPOnly,
	"rust":       rust.Language,
}

// parserPool keeps a few parsers of one language. A sync.Pool would drop them
// without freeing their C memory.
type parserPool struct{ free chan *sitter.Parser }

// poolSize is how many idle parsers of a language are kept.
const poolSize = 4

func newParserPool() parserPool {
	return parserPool{free: make(chan *sitter.Parser, poolSize)}
}

func (l *language) parser() *sitter.Parser {
	select {
	case p := <-l.parsers.free:
		return p
	default:
		return l.newParser()
	}
}

func (l *language) newParser() *sitter.Parser {
	grammar, ok := grammars[l.name]
	if !ok {
		return nil
	}
	p := sitter.NewParser()
	if p.SetLanguage(sitter.NewLanguage(grammar())) != nil {
		p.Close()
		return nil
	}
	return p
}

func (l *language) release(p *sitter.Parser) {
	select {
	case l.parsers.free <- p:
	default:
		p.Close()
	}
}

// statement is where a candidate stands in the buffer that is parsed.
type statement struct {
	candidate *candidate
	shift     int // offset in the buffer minus offset in the code
}

// confirm asks the grammar about all candidates at once and fills kind and
// parameters, or rejects what is no declaration. What the grammar cannot make
// out (an ERROR node) stays as the pattern saw it.
func (l *language) confirm(code string, list []candidate) {
	buffer, statements := l.buffer(code, list)
	if len(statements) == 0 {
		return
	}
	p := l.parser()
	if p == nil {
		return
	}
	tree := p.Parse(buffer, nil)
	if tree == nil { // never parse again with a parser that gave up
		p.Close()
		return
	}
	root := tree.RootNode()
	for _, s := range statements {
		l.confirmOne(root, buffer, s)
	}
	tree.Close()
	l.release(p)
}

func (l *language) buffer(code string, list []candidate) ([]byte, []statement) {
	buffer := make([]byte, 0, 128*len(list))
	statements := make([]statement, 0, len(list))
	for i := range list {
		c := &list[i]
		if c.rejected || c.form.Hidden || !c.complete {
			continue
		}
		buffer = append(buffer, c.form.Before...)
		statements = append(statements, statement{candidate: c, shift: len(buffer) - c.start})
		buffer = append(buffer, code[c.start:c.headEnd]...)
		buffer = append(buffer, c.form.After...)
		buffer = append(buffer, '\n')
	}
	return buffer, statements
}

func (l *language) confirmOne(root *sitter.Node, buffer []byte, s statement) {
	c := s.candidate
	from := uint(c.nameAt + s.shift)
	node := root.NamedDescendantForByteRange(from, uint(c.nameEnd+s.shift))
	for range 3 {
		if node == nil || node.StartByte() > from {
			break
		}
		if node.IsError() {
			return
		}
		if kind, ok := l.Nodes[node.Kind()]; ok && l.isNamed(node, from) {
			l.accept(c, node, kind, buffer)
			return
		}
		node = node.Parent()
	}
	c.rejected = node == nil || !root.HasError()
}

// isNamed says that the declaration's own name stands at from.
func (l *language) isNamed(node *sitter.Node, from uint) bool {
	name := node.ChildByFieldName("name")
	return name == nil || name.StartByte() <= from && from < name.EndByte()
}

// accept takes kind and parameters from the declaration's node. A script's
// variable is a declaration only when its value is a function or a class.
func (l *language) accept(c *candidate, node *sitter.Node, kind string, buffer []byte) {
	if c.form.Kind != "function" || kind != "function" {
		if kind != "type" || c.form.Kind != "interface" { // Go names both by one node
			c.kind = kind
		}
	}
	holder := node
	if value := node.ChildByFieldName("value"); value != nil && node.Kind() == "variable_declarator" {
		switch value.Kind() {
		case "arrow_function", "function_expression", "generator_function":
			holder = value
		default:
			c.rejected = !node.HasError()
			return
		}
	}
	parameters := holder.ChildByFieldName("parameters")
	if parameters == nil {
		parameters = holder.ChildByFieldName("parameter")
	}
	if parameters != nil {
		c.parameters = parameters.Utf8Text(buffer)
	} else if !node.HasError() {
		c.parameters = ""
	}
}
