//go:build !cgo

package syntax

// Query replaces a tree-sitter query, which needs cgo.
type Query struct{}

// NewQuery returns a query that finds nothing, since trees need cgo.
func NewQuery(string, string) *Query { return &Query{} }

// Check accepts everything.
func (*Query) Check() error { return nil }

// parseAt returns nil without cgo.
func parseAt(string, string, int, *Tree, []*Query) (*Tree, [][]Captured) { return nil, nil }
