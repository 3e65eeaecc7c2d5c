package codepattern

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// Limits of one analysis.
const (
	maxSteps = 60_000
	maxHits  = 64
)

// analysis follows values through one tree. It has more methods than other types have, since it is one
// interpreter: to visit a node is to evaluate others, and the other way round, over one scope.
type analysis struct {
	grammar
	rules     []*compiled // those whose triggers stand here
	tree      *syntax.Tree
	scope     *scope
	functions map[string]*syntax.Node // declared in the tree
	classes   map[string]bool         // declared in the tree
	owners    *owners

	heredocs map[*syntax.Node]*syntax.Node // beginning → text

	captures map[*syntax.Node][]capture // what queries found, by @hit

	handler bool    // in a function that a decorator of handlers marks
	depth   int     // of branches
	helpers int     // calls that are followed: what they reach is found elsewhere
	returns []value // of the function that is followed
	steps   int
	hits    []hit
	dropped int // hits beyond what a piece may have
}

// capture is what a rule's query found.
type capture struct {
	rule  *compiled
	found syntax.Captured
}

// hit is a place that a rule describes.
type hit struct {
	rule       *compiled
	node       *syntax.Node // call, pair or assignment
	argument   *syntax.Node // what was looked at; nil for none
	part       part
	flow       bool
	built      bool
	confidence float64
	callee     string
}

// run looks at the whole tree.
func (a *analysis) run() {
	a.scope = newScope(nil, true)
	a.functions, a.classes = map[string]*syntax.Node{}, map[string]bool{}
	a.heredocs = map[*syntax.Node]*syntax.Node{}
	a.learn(a.tree.Root)
	a.visitAll(a.tree.Root)
}

func (a *analysis) visitAll(n *syntax.Node) {
	for _, c := range n.Children {
		if c.Named {
			a.visit(c)
		}
	}
}

// visit runs a statement or looks for sinks in an expression.
func (a *analysis) visit(n *syntax.Node) {
	if a.steps++; a.steps > maxSteps {
		return
	}
	a.enter(n)
	for _, c := range a.captures[n] {
		a.captured(c.rule, c.found)
	}
}

func (a *analysis) enter(n *syntax.Node) {
	switch a.role(n) {
	case roleFunction:
		a.function(n, false)
	case roleDecorated:
		a.decorated(n)
	case roleAssign:
		a.visitAll(n)
		a.assign(n)
	case roleLoop:
		a.loop(n)
	case roleBranch:
		a.branch(n)
	case roleBlock:
		a.block(n)
	case roleComprehension:
		a.scope = newScope(a.scope, false)
		a.clauses(n)
		a.visitAll(n)
		a.scope = a.scope.parent
	case roleCall:
		a.visitAll(n)
		a.call(n)
	case rolePair, roleKeyword:
		a.visitAll(n)
		a.pair(n)
	case roleClosure:
		a.closure(n)
	case roleBinary:
		a.visitAll(n)
		a.collectOperator(n)
	case roleReturn:
		a.visitAll(n)
		if a.helpers > 0 {
			a.returns = append(a.returns, a.children(n))
		}
	case roleComment:
	default:
		a.visitAll(n)
	}
}

// children is what a node's children give together.
func (a *analysis) children(n *syntax.Node) value {
	list := a.operands(n)
	if len(list) == 1 {
		return a.eval(list[0])
	}
	out := value{}
	for i, c := range list {
		if i == 0 {
			out = a.eval(c)
		} else {
			out = mix(out, a.eval(c))
		}
	}
	return out
}

func (a *analysis) block(n *syntax.Node) {
	if a.language.config.BlockScoped {
		a.scope = newScope(a.scope, false)
		defer func() { a.scope = a.scope.parent }()
	}
	a.visitAll(n)
}

func (a *analysis) branch(n *syntax.Node) {
	if a.language.config.BlockScoped {
		a.scope = newScope(a.scope, false)
		defer func() { a.scope = a.scope.parent }()
	}
	condition := n.Child("condition")
	if condition == nil {
		if list := a.operands(n); len(list) > 0 && a.role(list[0]) != roleBlock {
			condition = list[0]
		}
	}
	if start := n.Child("initializer"); start != nil {
		a.guard(start)
	}
	if condition != nil {
		a.guard(condition)
	}
	a.depth++
	defer func() { a.depth-- }()
	body := n.Child("body")
	if condition == nil || body == nil || condition.Start < body.Start {
		a.visitAll(n)
		return
	}
	a.visit(condition) // it follows: x if y
	for _, c := range n.Children {
		if c.Named && c != condition {
			a.visit(c)
		}
	}
}

func (a *analysis) loop(n *syntax.Node) {
	left, right := firstChild(n, "left", "name"), firstChild(n, "right", "value")
	if list := a.operands(n); right == nil && len(list) > 1 {
		right, left = list[0], list[1] // foreach ($rows as $row)
	}
	if right != nil {
		a.visit(right)
	}
	if left != nil && right != nil {
		item := a.eval(right).element()
		if kind := a.declaredType(n); kind != "" && a.matches(a.language.safeTypes, kind) {
			item = value{}
		}
		a.bind(left, item, true)
	}
	a.depth++
	for _, c := range n.Children {
		if c.Named && c != left && c != right {
			a.visit(c)
		}
	}
	a.depth--
}

func firstChild(n *syntax.Node, fields ...string) *syntax.Node {
	for _, f := range fields {
		if c := n.Child(f); c != nil {
			return c
		}
	}
	return nil
}

func (a *analysis) clauses(n *syntax.Node) {
	for _, c := range n.Children {
		if a.role(c) != roleClause {
			continue
		}
		if left, right := c.Child("left"), c.Child("right"); left != nil && right != nil {
			a.bind(left, a.eval(right).element(), true)
		}
	}
}

// memo remembers which expressions occur in which names: a file uses few of them, often.
type memo map[memoKey]bool

type memoKey struct {
	expression *pattern.Regexp
	text       string
}
