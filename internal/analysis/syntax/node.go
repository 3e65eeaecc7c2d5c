package syntax

import "strings"

// Limits of a tree copied from the parser.
const (
	maxTreeBytes = 32 << 10
	maxTreeNodes = 40_000
	maxTreeDepth = 200
)

// Tree is the syntax tree of a piece of code. What the grammar does not recognize is in nodes of
// the kind "ERROR".
type Tree struct {
	Root *Node
}

// Node is a node of a [Tree].
type Node struct {
	Kind       string // the grammar's name; a token's own text if it is not Named
	Field      string // the parent's field that contains it, "" for none
	Start, End int    // bytes
	text       string
	Named      bool
	Parent     *Node
	Children   []*Node
}

// Text returns the code of a node, "" for nil.
func (n *Node) Text() string {
	if n == nil {
		return ""
	}
	return n.text
}

// Child returns the first child in a field, nil if the field is empty.
func (n *Node) Child(field string) *Node {
	for _, c := range n.Children {
		if c.Field == field {
			return c
		}
	}
	return nil
}

// Walk calls visit for n and all nodes below it in order of the code; a node for
// which it returns false is not entered.
func (n *Node) Walk(visit func(*Node) bool) {
	if !visit(n) {
		return
	}
	for _, c := range n.Children {
		c.Walk(visit)
	}
}

// Captured is one match of a [Query]: capture name → node.
type Captured map[string]*Node

// at returns the outermost node of a kind that spans exactly these bytes.
func (n *Node) at(kind string, start, end int) *Node {
	for n != nil {
		if n.Start == start && n.End == end && n.Kind == kind {
			return n
		}
		var next *Node
		for _, c := range n.Children {
			if c.Start <= start && end <= c.End {
				next = c
				break
			}
		}
		n = next
	}
	return nil
}

// Declaration is a declaration's place in a source.
type Declaration struct {
	Name, Kind string
	// Before and After complete the declaration so that the grammar accepts it when it is
	// cut out, e.g. "class A{" and "}" around a method.
	Before, After string
	// Start is its head's first byte, End the byte after its body.
	Start, End int
	// Inner is set for a function inside another function's body.
	Inner bool
}

// Declarations returns the functions and methods that the source declares, by their
// heads, in order of appearance.
func (s *Source) Declarations() []Declaration {
	if s.language == nil || s.language.heads == nil {
		return nil
	}
	if s.declared == nil {
		s.declared = s.declarations()
	}
	return s.declared
}

func (s *Source) declarations() []Declaration {
	l := s.language
	found := l.heads.FindAllStringSubmatchIndex(s.code, -1)
	if len(found) == 0 {
		return []Declaration{}
	}
	list := l.candidates(s.code, s.mask(), found)
	l.extents(s.code, s.mask(), list)
	out := []Declaration{}
	for i := range list {
		c := &list[i]
		if c.form.Kind != "function" && c.form.Kind != "method" || c.form.Direct && c.insideFunctionBody {
			continue
		}
		d := Declaration{Name: c.name, Kind: c.form.Kind, Start: c.start, End: max(c.bodyEnd, c.headEnd), Inner: c.insideFunctionBody}
		if strings.Contains(c.form.Before, "{") {
			d.Before, d.After = c.form.Before, "}"
		}
		out = append(out, d)
	}
	return out
}

// Masked returns the code with comments and the inside of strings blanked, of the same
// length; "" for an unknown language.
func (s *Source) Masked() string {
	if s.language == nil {
		return ""
	}
	return string(s.mask())
}
