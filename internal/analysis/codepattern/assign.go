package codepattern

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

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
		a.bind(target, values[i], declare)
	}
	if right != nil && len(targets) == 1 {
		a.spell(targets[0], right)
		a.pairOf(n, a.dotted(targets[0]), right)
	}
}

// spell notes the member or list that a variable is set to, for conditions that
// name it: MinVersion: lowest.
func (a *analysis) spell(target, right *syntax.Node) {
	if list := a.operands(right); right.Kind == "expression_list" && len(list) == 1 {
		right = list[0]
	}
	if role := a.role(right); a.role(target) == roleName && (role == roleMember || role == roleList) {
		a.scope.spell(target.Text(), shorten(right.Text()))
	}
}

// declares says that the statement makes new variables of the block.
func (a *analysis) declares(n *syntax.Node) bool {
	return a.language.config.BlockScoped && (n.Child("name") != nil || a.operator(n) == ":=")
}

// operator is an assignment's token: "=", ":=", "+=".
func (a *analysis) operator(n *syntax.Node) string {
	for _, c := range n.Children {
		if text := c.Text(); !c.Named && strings.HasSuffix(text, "=") || c.Field == "operator" {
			return text
		}
	}
	return ""
}

// split gives the targets of "a, b = …".
func (a *analysis) split(target *syntax.Node) []*syntax.Node {
	if a.role(target) == roleList {
		if list := a.operands(target); len(list) > 0 {
			return list
		}
	}
	return []*syntax.Node{target}
}

// values are what is assigned to n targets.
func (a *analysis) values(statement, right *syntax.Node, n int) []value {
	out := make([]value, n)
	if right == nil {
		return out // declared without a value
	}
	declared := a.declaredType(statement)
	if declared != "" && a.matches(a.language.safeTypes, declared) {
		if n == 1 && a.role(right) == roleNumber { // the size of a key
			out[0] = a.eval(right)
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

// declaredType is the type that a declaration names, "" for none.
func (a *analysis) declaredType(n *syntax.Node) string {
	t := n.Child("type")
	if t == nil && n.Parent != nil && n.Field == "declarator" {
		t = n.Parent.Child("type")
	}
	return strings.Trim(t.Text(), ": ")
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
		if base := a.operands(target); a.role(target) == roleIndex && len(base) > 0 && len(v.parts) > 0 {
			a.collect(base[0], v)
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
		at.put(name, variable{value: sum, depth: at.variables[name].depth})
		return
	}
	a.scope.set(name, sum, a.depth, false)
}

// guard marks the variables that a condition checks: an allow list, a validator,
// a comparison with a literal.
func (a *analysis) guard(condition *syntax.Node) {
	condition.Walk(func(n *syntax.Node) bool {
		switch a.role(n) {
		case roleFunction, roleBlock:
			return false
		case roleIndex:
			if list := a.operands(n); len(list) > 1 {
				a.check(list[len(list)-1])
			}
		case roleBinary:
			a.guardOperator(n)
		}
		return true
	})
}

func (a *analysis) guardOperator(n *syntax.Node) {
	operands := a.operands(n)
	if len(operands) != 2 {
		return
	}
	switch operator := a.token(n); {
	case strings.Contains(operator, "~"): // a regular expression
		a.check(operands[0])
	case strings.Contains(operator, "in") && operator != "instanceof":
		a.check(operands[0])
		if a.searched(operands[0], operands[1]) {
			a.check(operands[1])
		}
	case strings.Contains(operator, "=") && operator[0] != '<' && operator[0] != '>':
		for i, o := range operands {
			other := operands[1-i]
			if strings.HasPrefix(o.Text(), "typeof") { // does not restrict the text
				continue
			}
			if a.role(other) == roleString && len(other.Text()) > 2 {
				a.check(o)
			}
		}
	}
}

// searched reports whether "piece in text" restricts the text: a key that is looked up in a map, as
// 'host' in headers, says nothing of its values, and a call's arguments are not its result.
func (a *analysis) searched(piece, text *syntax.Node) bool {
	if a.role(text) == roleCall {
		return false
	}
	return a.role(piece) != roleString || !word.MatchString(unquote(piece.Text()))
}

var word = pattern.Must(`^[A-Za-z][\w-]*$`)

// compared marks what a call compares with a literal that is not empty.
func (a *analysis) compared(n *syntax.Node, arguments arguments) {
	list := arguments.positional
	if receiver := a.receiver(n); receiver != nil {
		list = append([]*syntax.Node{receiver}, list...)
	}
	literal := false
	for _, o := range list {
		literal = literal || a.role(o) == roleString && len(o.Text()) > 2
	}
	for _, o := range list {
		if literal && a.role(o) != roleString {
			a.check(o)
		}
	}
}

// matchesWhole reports whether a call's pattern describes a whole text, or what it must not
// contain, and the result is used.
func (a *analysis) matchesWhole(n *syntax.Node, arguments arguments) bool {
	if len(arguments.positional) == 0 {
		return false
	}
	pattern := arguments.positional[0]
	text := pattern.Text()
	if v := a.eval(pattern); v.constant() && v.text != "" {
		text = v.text
		if a.role(pattern) == roleString {
			text = pattern.Text()
		}
	}
	if !a.matches(a.language.whole, text) {
		return false
	}
	at := n.Parent
	for at != nil && at.Kind != "expression_statement" && (a.role(at) == roleWrap || a.role(at) == roleBinary) {
		at = at.Parent
	}
	if at == nil {
		return false
	}
	switch a.role(at) {
	case roleBranch, roleChoice, roleAssign, roleReturn:
		return true
	}
	return false
}

// token is a binary expression's operator; for "not in" its words together.
func (a *analysis) token(n *syntax.Node) string {
	var words []string
	for _, c := range n.Children {
		if !c.Named || c.Field == "operator" || c.Field == "operators" {
			words = append(words, c.Text())
		}
	}
	return strings.Join(words, " ")
}

// check marks what an expression is made of as checked.
func (a *analysis) check(n *syntax.Node) {
	switch a.role(n) {
	case roleName, roleMember, roleIndex:
		name := a.normal(n)
		if v, ok := a.scope.lookup(name); ok && len(v.parts) == 0 {
			return
		}
		if at := a.scope.holder(name); at != nil {
			at.put(name, variable{depth: at.variables[name].depth})
			return
		}
		root := a.scope
		for !root.function {
			root = root.parent
		}
		root.put(name, variable{})
	case roleCall:
		if receiver := a.receiver(n); receiver != nil {
			a.check(receiver)
		}
		for _, arg := range a.arguments(n).positional {
			a.check(arg)
		}
	case roleWrap, roleBinary, roleKeyword, roleList:
		for _, c := range a.operands(n) {
			a.check(c)
		}
	}
}
