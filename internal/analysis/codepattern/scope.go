package codepattern

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// scope holds the variables of a function or block.
type scope struct {
	variables map[string]variable
	parent    *scope
	function  bool
}

// variable is a value and how deep in branches it was first set.
type variable struct {
	value value
	depth int
}

func newScope(parent *scope, function bool) *scope {
	return &scope{variables: map[string]variable{}, parent: parent, function: function}
}

// lookup returns the value of a variable of this scope or one around it.
func (s *scope) lookup(name string) (value, bool) {
	if at := s.holder(name); at != nil {
		return at.variables[name].value, true
	}
	return value{}, false
}

// holder returns the innermost scope that has the variable, nil if none has.
func (s *scope) holder(name string) *scope {
	for at := s; at != nil; at = at.parent {
		if _, ok := at.variables[name]; ok {
			return at
		}
	}
	return nil
}

// set gives a variable a value. An assignment deeper in branches than the variable's
// first may not run: then both values are possible.
func (s *scope) set(name string, v value, depth int, declare bool) {
	at := s
	if !declare {
		if holder := s.holder(name); holder != nil {
			at = holder
		}
	}
	old, ok := at.variables[name]
	switch {
	case !ok || declare:
		at.variables[name] = variable{value: v, depth: depth}
	case depth > old.depth:
		at.variables[name] = variable{value: mix(old.value, v), depth: old.depth}
	default:
		at.variables[name] = variable{value: v, depth: old.depth}
	}
}

// assign binds the targets of an assignment or a declaration.
func (a *analysis) assign(n *syntax.Node) {
	right := firstChild(n, "right", "value")
	var targets []*syntax.Node
	for _, c := range n.Children {
		if c.Field == "left" || c.Field == "name" || c.Field == "pattern" {
			targets = append(targets, c)
		}
	}
	if list := a.operands(n); len(targets) == 0 && len(list) > 1 { // with open(x) as f
		right, targets = list[0], list[len(list)-1:]
	}
	if len(targets) == 0 {
		return
	}
	if len(targets) == 1 {
		targets = a.split(targets[0])
	}
	declare := a.declares(n)
	values := a.values(n, right, len(targets))
	if operator := a.operator(n); len(targets) == 1 && operator != "=" && operator != ":=" && operator != "" {
		values[0] = a.augmented(targets[0], values[0], operator)
	}
	for i, target := range targets {
		if i > 0 && a.matches(a.language.failures, target.Text()) { // of text, err := …
			values[i] = value{}
		}
		a.bind(target, values[i], declare)
	}
	if right != nil && len(targets) == 1 {
		a.pairOf(n, a.dotted(targets[0]), right)
	}
}

// values are what is assigned to n targets.
func (a *analysis) values(statement, right *syntax.Node, n int) []value {
	out := make([]value, n)
	if right == nil {
		return out // declared without a value
	}
	declared := a.declaredType(statement)
	if declared != "" && a.matches(a.language.safeTypes, declared) {
		if n == 1 { // the size of a key, a character that a switch asks for
			if v := a.eval(right); v.constant() {
				out[0] = v
			}
		}
		return out
	}
	if n == 1 && a.matches(a.language.listTypes, declared) {
		out[0] = a.eval(right)
		out[0].list = true
		return out
	}
	list := []*syntax.Node{right}
	if a.role(right) == roleList && n > 1 || right.Kind == "expression_list" {
		list = a.operands(right)
	}
	if len(list) == n {
		for i := range out {
			out[i] = a.eval(list[i])
		}
		return out
	}
	v := a.eval(right)
	for i := range out {
		out[i] = v.element()
	}
	return out
}

// augmented is the value after x += y.
func (a *analysis) augmented(target *syntax.Node, added value, operator string) value {
	switch strings.TrimSuffix(operator, "=") {
	case "+", ".", "<<":
		return joined(a.eval(target), added)
	case "||", "??", "&&", "or":
		return mix(a.eval(target), added)
	}
	return value{}
}

// bind gives a target its value; a pattern gives each of its names the value.
func (a *analysis) bind(target *syntax.Node, v value, declare bool) {
	v = v.through(target)
	switch a.role(target) {
	case roleName:
		a.scope.set(target.Text(), v, a.depth, declare)
	case roleMember, roleIndex:
		a.scope.set(a.normal(target), v, a.depth, false)
		if base := a.operands(target); a.role(target) == roleIndex && len(base) > 0 {
			if len(v.parts) > 0 {
				a.collect(base[0], v)
			}
		} else if a.role(target) == roleMember && len(base) == 2 {
			a.setMember(base[0], v)
		}
	default:
		for _, name := range a.names(target) {
			a.scope.set(name.Text(), v.element(), a.depth, declare)
		}
	}
}

// collect adds to what a list, map or builder holds.
func (a *analysis) collect(target *syntax.Node, v value) {
	name := a.normal(target)
	old, ok := a.scope.lookup(name)
	if !ok && a.role(target) == roleName {
		old = value{}
	}
	sum := old.with(v)
	if at := a.scope.holder(name); at != nil {
		at.variables[name] = variable{value: sum, depth: at.variables[name].depth}
		return
	}
	a.scope.set(name, sum, a.depth, false)
}

// setMember adds what an assignment sets in an object that the edit shows from its literal on:
// query.title = v.
func (a *analysis) setMember(object *syntax.Node, v value) {
	name := object.Text()
	at := a.scope.holder(name)
	if at == nil || a.role(object) != roleName || !at.variables[name].value.list {
		return
	}
	old := at.variables[name]
	at.variables[name] = variable{value: old.value.with(v), depth: old.depth}
}
