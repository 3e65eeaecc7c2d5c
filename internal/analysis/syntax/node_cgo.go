//go:build cgo

package syntax

import (
	"fmt"
	"strings"
	"sync"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// grammarNames holds a grammar's names by number, read once.
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

// Query is a tree-sitter query with its text predicates, compiled on first use.
type Query struct {
	language, text string
	once           sync.Once
	query          *sitter.Query
	names          []string
	err            error
}

// NewQuery returns a query for a language. Without cgo it finds nothing.
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

// parseAt parses a piece of code and runs queries on it: the result has an entry for each
// query. It returns nil for an unknown language, for more than 32 KB, and if the parser
// gives up. shift is added to the offsets of nodes. With known, the tree of an earlier call
// for the same code, only the queries are run. It is safe for concurrent use.
func parseAt(name, code string, shift int, known *Tree, queries []*Query) (*Tree, [][]Captured) {
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
	out := known
	if out == nil {
		out = &Tree{Root: pool.copyOut(tree, code, shift)}
	}
	return out, out.run(queries, tree, source, shift)
}

// holdsMarkup reports whether code contains a closing tag.
func holdsMarkup(code string) bool {
	return strings.Contains(code, "/>") || strings.Contains(code, "</")
}

// parse parses source; it returns nil if the grammar or the parser gives up.
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

// copyOut copies the tree, so that no C is needed afterwards. shift is added to every
// offset.
func (p *parserPool) copyOut(tree *sitter.Tree, code string, shift int) *Node {
	list := flattened(tree)
	nodes := make([]Node, len(list))
	children := make([]*Node, len(list))
	counts := make([]int32, len(list))
	var above [maxTreeDepth + 1]int32 // the path from the root to the current node
	for i, f := range list {
		above[f.depth] = int32(i)
		n := &nodes[i]
		n.Kind, n.Named = p.all.kind(f.kind)
		n.Start, n.End, n.text = int(f.start)+shift, int(f.end)+shift, code[f.start:f.end]
		if int(f.field) < len(p.all.fields) {
			n.Field = p.all.fields[f.field]
		}
		if f.depth > 0 {
			parent := above[f.depth-1]
			n.Parent = &nodes[parent]
			counts[parent]++
		}
	}
	for i := range nodes { // each node uses its part of one list
		n := &nodes[i]
		n.Children, children = children[:0:counts[i]], children[counts[i]:]
		if n.Parent != nil {
			n.Parent.Children = append(n.Parent.Children, n)
		}
	}
	return &nodes[0]
}

// run lists each query's matches.
func (t *Tree) run(queries []*Query, tree *sitter.Tree, source []byte, shift int) [][]Captured {
	if len(queries) == 0 {
		return nil
	}
	cursor := sitter.NewQueryCursor()
	defer cursor.Close()
	out := make([][]Captured, len(queries))
	for i, q := range queries {
		if q.Check() != nil {
			continue // tests compile the embedded ones, program start the user's
		}
		matches := cursor.Matches(q.query, tree.RootNode(), source)
		for m := matches.Next(); m != nil && len(out[i]) < maxDeclarations; m = matches.Next() {
			found := Captured{}
			for _, c := range m.Captures {
				found[q.names[c.Index]] = t.Root.at(c.Node.Kind(), int(c.Node.StartByte())+shift, int(c.Node.EndByte())+shift)
			}
			out[i] = append(out[i], found)
		}
	}
	return out
}
