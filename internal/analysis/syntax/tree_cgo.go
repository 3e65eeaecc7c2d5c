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

// Tier returns the method that confirms a declaration: "tree" with cgo, otherwise
// "regex".
func Tier() string { return "tree" }

// grammars parse a file as if it were already inside its code: PHP without the opening
// tag. A second grammar of a language parses files with markup.
var grammars = map[string]func() unsafe.Pointer{
	"python":     python.Language,
	"javascript": javascript.Language,
	"typescript": typescript.LanguageTypescript,

	"typescript" + withMarkup: typescript.LanguageTSX,

	"go":   golang.Language,
	"java": java.Language,
	"ruby": ruby.Language,
	"php":  php.LanguagePHPOnly,
	"rust": rust.Language,
}

// parserPool keeps a few parsers of one language. A sync.Pool would drop them
// without freeing their C memory.
type parserPool struct {
	grammar *sitter.Language
	free    chan *sitter.Parser
	kinds   map[uint16]string // grammar node → kind of symbol
	// Fields of the grammar, 0 if it does not have them.
	name, value, parameters, parameter uint16
	variable                           uint16          // node of a script's variable
	functions                          map[uint16]bool // values that make it a function
	all                                grammarNames
}

// poolSize is the number of idle parsers kept for a language.
const poolSize = 4

func newParserPool(l *language, name string) parserPool {
	source, ok := grammars[name]
	if !ok {
		return parserPool{}
	}
	g := sitter.NewLanguage(source())
	p := parserPool{
		grammar: g, free: make(chan *sitter.Parser, poolSize), kinds: map[uint16]string{}, functions: map[uint16]bool{},
		name: g.FieldIdForName("name"), value: g.FieldIdForName("value"),
		parameters: g.FieldIdForName("parameters"), parameter: g.FieldIdForName("parameter"),
		variable: g.IdForNodeKind("variable_declarator", true), all: newGrammarNames(g),
	}
	for node, kind := range l.Nodes {
		if id := g.IdForNodeKind(node, true); id != 0 {
			p.kinds[id] = kind
		}
	}
	for _, node := range []string{"arrow_function", "function_expression", "generator_function"} {
		if id := g.IdForNodeKind(node, true); id != 0 {
			p.functions[id] = true
		}
	}
	return p
}

// parser returns an idle parser or creates one; nil if the grammar does not fit the
// library.
func (p *parserPool) parser() *sitter.Parser {
	select {
	case parser := <-p.free:
		return parser
	default:
	}
	parser := sitter.NewParser()
	if p.grammar == nil || parser.SetLanguage(p.grammar) != nil {
		parser.Close()
		return nil
	}
	return parser
}

func (p *parserPool) release(parser *sitter.Parser) {
	select {
	case p.free <- parser:
	default:
		parser.Close()
	}
}

// statement is the range of a candidate in the parsed buffer.
type statement struct {
	candidate *candidate
	shift     int // offset in the buffer minus offset in the code
}

// confirm parses all candidates at once and fills in kind and parameters, or rejects what
// is not a declaration. What the grammar does not recognize (an ERROR node) is kept as
// the pattern matched it.
func (l *language) confirm(code string, list []candidate) {
	if l.parsers.grammar == nil {
		return
	}
	buffer, statements := l.buffer(code, list)
	if len(statements) == 0 {
		return
	}
	p := l.parsers.parser()
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
	l.parsers.release(p)
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
		if kind, ok := l.parsers.kinds[node.KindId()]; ok && l.isNamed(node, from) {
			l.accept(c, node, kind, buffer)
			return
		}
		node = node.Parent()
	}
	c.rejected = node == nil || !root.HasError()
}

// isNamed reports whether the declaration's own name is at from.
func (l *language) isNamed(node *sitter.Node, from uint) bool {
	name := child(node, l.parsers.name)
	return name == nil || name.StartByte() <= from && from < name.EndByte()
}

// accept reads kind and parameters from the declaration's node. A script's variable is a
// declaration only if its value is a function or a class.
func (l *language) accept(c *candidate, node *sitter.Node, kind string, buffer []byte) {
	if c.form.Kind != "function" || kind != "function" {
		if kind != "type" || c.form.Kind != "interface" { // Go uses one node kind for both
			c.kind = kind
		}
	}
	holder := node
	if node.KindId() == l.parsers.variable && l.parsers.variable != 0 {
		if value := child(node, l.parsers.value); value != nil {
			if !l.parsers.functions[value.KindId()] {
				c.rejected = !node.HasError()
				return
			}
			holder = value
		}
	}
	parameters := child(holder, l.parsers.parameters)
	if parameters == nil {
		parameters = child(holder, l.parsers.parameter)
	}
	if parameters != nil {
		c.parameters = parameters.Utf8Text(buffer)
	} else if !node.HasError() {
		c.parameters = ""
	}
}

func child(node *sitter.Node, field uint16) *sitter.Node {
	if field == 0 {
		return nil
	}
	return node.ChildByFieldId(field)
}
