package userrules

import (
	"errors"
	"reflect"
	"slices"
	"sort"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// guard refuses constructs whose cost depends on more than the size of what the condition
// reads: loops over a second list, lengthening of texts, ranges, patterns that are not
// constant.
type guard struct {
	counters map[string]bool
	uses     map[string]bool // collects the names that the conditions use
	loops    int
	first    *file.Error
}

// Visit checks one node, after its children.
func (g *guard) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		g.uses[n.Value] = true
	case *ast.BinaryNode:
		g.binary(n)
	case *ast.MemberNode:
		g.member(n)
	case *ast.PredicateNode:
		g.body(n)
	}
}

func (g *guard) binary(n *ast.BinaryNode) {
	switch n.Operator {
	case "..":
		g.refuse(n, "a range is not allowed here; loop over a list of the turn, such as added")
	case "matches":
		if _, constant := n.Right.(*ast.StringNode); !constant {
			g.refuse(n, "the pattern of matches must be a literal text")
		}
	case "+":
		if n.Type() == nil || n.Type().Kind() == reflect.String || n.Type().Kind() == reflect.Interface {
			g.refuse(n, "texts cannot be joined here; put {conditions} into subject, message or reason")
		}
	}
}

// member refuses counters that the rule does not declare.
func (g *guard) member(n *ast.MemberNode) {
	of, isName := n.Node.(*ast.IdentifierNode)
	if !isName || of.Value != "counters" {
		return
	}
	property, constant := n.Property.(*ast.StringNode)
	var known []string
	for name := range g.counters {
		known = append(known, name)
	}
	sort.Strings(known)
	switch {
	case !constant:
		g.refuse(n, "refer to a counter as counters.NAME")
	case !g.counters[property.Value]:
		g.refuse(n, "no counter "+property.Value+"; "+rules.Choices(property.Value, known))
	}
}

// body refuses large values in a loop's body, and loops that are nested too deeply.
func (g *guard) body(n *ast.PredicateNode) {
	inner := &loopBody{}
	ast.Walk(&n.Node, inner)
	if inner.big != nil {
		g.refuse(inner.big, inner.big.Value+" inside a loop would be evaluated for each element; move it outside")
	}
	if depth(n.Node) >= g.loops {
		g.refuse(n, "loops are nested too deep; see limits.loops")
	}
}

// depth counts the loops nested below a node.
func depth(n ast.Node) int {
	d := &deepest{}
	ast.Walk(&n, d)
	return d.most
}

type deepest struct{ most int }

// Visit checks one node; its own body was walked before it.
func (d *deepest) Visit(node *ast.Node) {
	if p, ok := (*node).(*ast.PredicateNode); ok {
		d.most = max(d.most, 1+depth(p.Node))
	}
}

// loopBody finds a name in a loop's body that is not in small.
type loopBody struct{ big *ast.IdentifierNode }

// Visit checks one node.
func (b *loopBody) Visit(node *ast.Node) {
	if n, ok := (*node).(*ast.IdentifierNode); ok && !small[n.Value] && !slices.Contains(builtins, n.Value) && b.big == nil {
		b.big = n
	}
}

func (g *guard) refuse(n ast.Node, why string) {
	if g.first == nil {
		g.first = &file.Error{Location: n.Location(), Message: why}
	}
}

// problem returns the first refused construct, nil if everything is allowed.
func (g *guard) problem(text string) error {
	if g.first == nil {
		return nil
	}
	return g.first.Bind(file.NewSource(text))
}

// unknownName matches expr's message about an unknown name.
var unknownName = pattern.Must(`^unknown name (\w+)`)

// cure adds similar names to an error about an unknown one.
func cure(err error) error {
	var found *file.Error
	if !errors.As(err, &found) {
		return err
	}
	if m := unknownName.FindStringSubmatch(found.Message); m != nil {
		better := *found
		better.Message += "; " + rules.Choices(m[1], names())
		return &better
	}
	return err
}

// names returns all names that a condition can use, sorted.
func names() []string {
	out := slices.Clone(builtins)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[environment]()) {
		if name := f.Tag.Get("expr"); name != "" {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}
