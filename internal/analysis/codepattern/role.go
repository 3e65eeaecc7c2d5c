package codepattern

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// role is what a node of a grammar does, whatever the grammar calls it.
type role uint8

const (
	roleNone role = iota
	roleCall
	roleArguments
	roleMember
	roleIndex
	roleName
	roleString
	roleHole    // a value within a string
	roleNumber  // a constant that can harm nothing
	roleBinary  // operators, comparisons
	roleChoice  // a ? b : c
	roleWrap    // its children's value: parentheses, await, casts
	roleList    // list, tuple, dictionary, struct literal
	rolePair    // key and value in such a list
	roleKeyword // name=value in a call
	roleComprehension
	roleClause // for x in y of a comprehension
	roleAssign
	roleFunction
	roleParameters
	roleBranch // if, switch, while: the body may not run
	roleLoop   // for x in y
	roleBlock
	roleReturn
	roleDecorated
	roleDecorator
	roleComment
	roleClosure // a block that a call is given: rows.each { |row| … }
	roleCommand // a shell command as a literal: `ls`
	roleHere    // where a text on the lines below begins: <<~SQL
)

var roleNames = map[string]role{
	"call": roleCall, "arguments": roleArguments, "member": roleMember, "index": roleIndex, "name": roleName,
	"string": roleString, "hole": roleHole, "number": roleNumber, "binary": roleBinary, "choice": roleChoice,
	"wrap": roleWrap, "list": roleList, "pair": rolePair, "keyword": roleKeyword,
	"comprehension": roleComprehension, "clause": roleClause, "assign": roleAssign, "function": roleFunction,
	"parameters": roleParameters, "branch": roleBranch, "loop": roleLoop, "block": roleBlock, "return": roleReturn,
	"decorated": roleDecorated, "decorator": roleDecorator, "comment": roleComment,
	"closure": roleClosure, "command": roleCommand, "here": roleHere,
}

// Origin says where a value comes from, from the harmless to the hostile.
type Origin uint8

// Origins.
const (
	None      Origin = iota // constants, numbers, what was checked
	Internal                // configuration, the environment
	Unknown                 // the hunk does not show it
	Parameter               // of the function
	CLI                     // an argument of a command-line tool
	Input                   // a person at the terminal, a message
	Request                 // a request of a network client
)

var originNames = map[string]Origin{
	"internal": Internal, "unknown": Unknown, "parameter": Parameter, "cli": CLI, "input": Input, "request": Request,
}

// String is the origin's name in rule data; "constant" for None.
func (o Origin) String() string {
	for name, origin := range originNames {
		if origin == o {
			return name
		}
	}
	return "constant"
}

// grammar says what the nodes of a piece do and how they are called, in terms that all languages share. It
// follows no value: that is the analysis, which embeds it.
type grammar struct {
	language *language
	aliases  map[string]string // name → what the hunk imports it as
	memo     memo
}

func (g *grammar) role(n *syntax.Node) role { return g.language.roles[n.Kind] }

// operands returns the named children except comments.
func (g *grammar) operands(n *syntax.Node) []*syntax.Node {
	var out []*syntax.Node
	for _, c := range n.Children {
		if c.Named && g.role(c) != roleComment {
			out = append(out, c)
		}
	}
	return out
}

// token is a binary expression's operator; for "not in" its words together.
func (g *grammar) token(n *syntax.Node) string {
	var words []string
	for _, c := range n.Children {
		if !c.Named || c.Field == "operator" || c.Field == "operators" {
			words = append(words, c.Text())
		}
	}
	return strings.Join(words, " ")
}

// operator is an assignment's token: "=", ":=", "+=".
func (g *grammar) operator(n *syntax.Node) string {
	for _, c := range n.Children {
		if text := c.Text(); !c.Named && strings.HasSuffix(text, "=") || c.Field == "operator" {
			return text
		}
	}
	return ""
}

// split gives the targets of "a, b = …".
func (g *grammar) split(target *syntax.Node) []*syntax.Node {
	if g.role(target) == roleList {
		if list := g.operands(target); len(list) > 0 {
			return list
		}
	}
	return []*syntax.Node{target}
}

// declares says that the statement makes new variables of the block.
func (g *grammar) declares(n *syntax.Node) bool {
	return g.language.config.BlockScoped && (n.Child("name") != nil || g.operator(n) == ":=")
}

// declaredType is the type that a declaration names, "" for none.
func (g *grammar) declaredType(n *syntax.Node) string {
	t := n.Child("type")
	if t == nil && n.Parent != nil && n.Field == "declarator" {
		t = n.Parent.Child("type")
	}
	return strings.Trim(t.Text(), ": ")
}

func (g *grammar) parameters(n *syntax.Node) []parameter {
	var out []parameter
	for _, c := range n.Children {
		switch {
		case c.Field == "parameter" && g.role(c) == roleName:
			out = append(out, parameter{name: c.Text(), node: c})
		case c.Field == "parameters" || g.role(c) == roleParameters:
			for _, p := range g.operands(c) {
				kind := ""
				if t := p.Child("type"); t != nil {
					kind = t.Text()
				}
				for _, name := range g.names(p) {
					out = append(out, parameter{name: name.Text(), kind: kind, text: p.Text(), node: name, receiver: c.Field == "receiver"})
				}
			}
		}
	}
	return out
}

// names are the variables that a pattern or parameter sets.
func (g *grammar) names(n *syntax.Node) []*syntax.Node {
	if g.role(n) == roleName {
		return []*syntax.Node{n}
	}
	var out []*syntax.Node
	for i, c := range n.Children {
		typed := c.Field == "type" || c.Field == "key" || c.Field == "default_value" || c.Field == "value" && i > 0 && n.Child("key") == nil
		if c.Named && !typed && g.role(c) != roleDecorator && c.Kind != "modifiers" {
			out = append(out, g.names(c)...)
		}
	}
	return out
}

// isHandler looks for decorators that are the function's own children, as
// annotations are.
func (g *grammar) isHandler(n *syntax.Node) bool {
	for _, c := range n.Children {
		if g.role(c) == roleDecorator && g.matches(g.language.handlers, c.Text()) {
			return true
		}
	}
	return false
}

// holdsStatements reports whether a node's children are statements: a block, a function or, in
// Ruby, the body of one, of a branch or of a closure.
func (g *grammar) holdsStatements(n *syntax.Node) bool {
	if role := g.role(n); role == roleBlock || role == roleFunction {
		return true
	}
	switch n.Kind {
	case "body_statement", "block_body", "then", "else", "do", "ensure":
		return true
	}
	return false
}

// searched reports whether "piece in text" restricts the text: a key that is looked up in a map, as
// 'host' in headers, says nothing of its values, and a call's arguments are not its result.
func (g *grammar) searched(piece, text *syntax.Node) bool {
	if g.role(text) == roleCall {
		return false
	}
	return g.role(piece) != roleString || !word.MatchString(unquote(piece.Text()))
}

// transformed reports whether a call in the chain before n makes something else of the
// value, as in params[:ids].map(&:to_i).join.
func (g *grammar) transformed(n *syntax.Node) bool {
	l := g.language
	for r := g.receiver(n); r != nil && g.role(r) == roleCall; r = g.receiver(r) {
		callee := g.dotted(r)
		if l.maps.match(callee) || l.conversion.match(callee) {
			return true
		}
		for _, sanitizer := range l.sanitizers {
			if sanitizer.match(callee) {
				return true
			}
		}
	}
	return false
}

// matches reports whether an expression, nil for none, occurs in a text.
func (g *grammar) matches(expression *pattern.Regexp, text string) bool {
	if expression == nil {
		return false
	}
	found, known := g.memo[memoKey{expression, text}]
	if !known {
		found = expression.MatchString(text)
		g.memo[memoKey{expression, text}] = found
	}
	return found
}
