//go:build cgo

package syntax

import (
	"fmt"
	"strings"
	"sync"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// names are a grammar's names by number, read once.
type grammarNames struct {
	kinds  []string
	named  []bool
	fields []string
}

func newGrammarNames(g *sitter.Language) grammarNames {
	n := grammarNames{kinds: make([]string, g.NodeKindCount()), fields: make([]string, g.FieldCount()+1)}
	n.named = make([]bool, len(n.kinds))
	for i := range n.kinds {
		n.kinds[i], n.named[i] = g.NodeKindForId(uint16(i)), g.NodeKindIsNamed(uint16(i))
	}
	for i := 1; i < len(n.fields); i++ {
		n.fields[i] = g.FieldNameForId(uint16(i))
	}
	return n
}

func (n *grammarNames) kind(id uint16) (string, bool) {
	if int(id) < len(n.kinds) {
		return n.kinds[id], n.named[id]
	}
	return "ERROR", true
}

// Query is a tree-sitter query with its text predicates, compiled when it is first
// used.
type Query struct {
	language, text string
	once           sync.Once
	query          *sitter.Query
	names          []string
	err            error
}

// NewQuery is a query for a language. Without cgo it finds nothing.
func NewQuery(language, text string) *Query { return &Query{language: language, text: text} }

// Check compiles the query and returns its error. Without cgo it accepts everything.
func (q *Query) Check() error {
	q.once.Do(func() { q.err = q.compile() })
	return q.err
}

func (q *Query) compile() error {
	l := load().Languages[q.language]
	if l == nil || l.parsers.grammar == nil {
		return fmt.Errorf("compile a query: no grammar for %q", q.language)
	}
	compiled, err := sitter.NewQuery(l.parsers.grammar, q.text)
	if err != nil {
		return fmt.Errorf("compile a query for %s: %s", q.language, err.Error())
	}
	q.query, q.names = compiled, compiled.CaptureNames()
	return nil
}

// Parse reads a piece of code and runs queries on it: the result has an entry
// for each. It gives nil for an unknown language, for more than 32 KB, and
// where the parser gives up. It is safe for concurrent use.
func Parse(name, code string, queries ...*Query) (*Tree, [][]Captured) {
	l := load().Languages[name]
	if l == nil || len(code) > maxTreeBytes {
		return nil, nil
	}
	source := []byte(code)
	pool, tree := &l.parsers, l.parsers.parse(source)
	if tree == nil {
		return nil, nil
	}
	if l.markup.grammar != nil && len(queries) == 0 && tree.RootNode().HasError() && holdsMarkup(code) {
		if other := l.markup.parse(source); other != nil {
			tree.Close()
			pool, tree = &l.markup, other
		}
	}
	defer tree.Close()
	out := &Tree{Code: code, Root: pool.copyOut(tree)}
	return out, out.run(queries, tree, source)
}

// holdsMarkup says that a tag is closed somewhere.
func holdsMarkup(code string) bool {
	return strings.Contains(code, "/>") || strings.Contains(code, "</")
}

// parse reads source; nil where the grammar or the parser gives up.
func (p *parserPool) parse(source []byte) *sitter.Tree {
	parser := p.parser()
	if parser == nil {
		return nil
	}
	tree := parser.Parse(source, nil)
	if tree == nil { // never parse again with a parser that gave up
		parser.Close()
		return nil
	}
	p.release(parser)
	return tree
}

// copyOut copies the tree, so that what follows needs no C.
func (p *parserPool) copyOut(tree *sitter.Tree) *Node {
	cursor := tree.Walk()
	defer cursor.Close()
	arena := make([]Node, 0, 512)
	fresh := func(parent *Node) *Node {
		if len(arena) == cap(arena) {
			arena = make([]Node, 0, 512) // the nodes of the full one stay where they are
		}
		arena = append(arena, Node{Parent: parent})
		n, c := &arena[len(arena)-1], cursor.Node()
		n.Kind, n.Named = p.all.kind(c.KindId())
		n.Start, n.End = int(c.StartByte()), int(c.EndByte())
		if field := int(cursor.FieldId()); field < len(p.all.fields) {
			n.Field = p.all.fields[field]
		}
		return n
	}
	root := fresh(nil)
	at, depth := root, 0
	for count := 1; count < maxTreeNodes; count++ {
		if depth < maxTreeDepth && cursor.GotoFirstChild() {
			depth++
		} else {
			for !cursor.GotoNextSibling() {
				if !cursor.GotoParent() {
					return root
				}
				at, depth = at.Parent, depth-1
			}
			at = at.Parent
		}
		child := fresh(at)
		at.Children = append(at.Children, child)
		at = child
	}
	return root
}

// run lists each query's matches.
func (t *Tree) run(queries []*Query, tree *sitter.Tree, source []byte) [][]Captured {
	if len(queries) == 0 {
		return nil
	}
	cursor := sitter.NewQueryCursor()
	defer cursor.Close()
	out := make([][]Captured, len(queries))
	for i, q := range queries {
		if q.Check() != nil {
			continue // tests compile the embedded ones, a start the user's
		}
		matches := cursor.Matches(q.query, tree.RootNode(), source)
		for m := matches.Next(); m != nil && len(out[i]) < maxDeclarations; m = matches.Next() {
			found := Captured{}
			for _, c := range m.Captures {
				found[q.names[c.Index]] = t.Root.at(c.Node.Kind(), int(c.Node.StartByte()), int(c.Node.EndByte()))
			}
			out[i] = append(out[i], found)
		}
	}
	return out
}
