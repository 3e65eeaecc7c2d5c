package codepattern

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// maxName bounds a dotted name in bytes.
const maxName = 240

var (
	arrows     = strings.NewReplacer("?.", ".", "->", ".", "::", ".", "&.", ".")
	namespaces = strings.NewReplacer("\\", ".") // PHP
)

func squeeze(text string) string {
	if !strings.ContainsAny(text, " \t\r\n") {
		return text
	}
	return strings.Join(strings.Fields(text), "")
}

// generic is the type arguments at the end of a name.
var generic = pattern.Must(`<[^<>()]*>$|^await|^new\b`)

// withoutBrackets empties all brackets: f(x).g[y] becomes f().g[].
func withoutBrackets(text string) string {
	if !strings.ContainsAny(text, "([{") {
		return text
	}
	var b strings.Builder
	depth := 0
	for i := range len(text) {
		switch c := text[i]; c {
		case '(', '[', '{':
			if depth == 0 {
				b.WriteByte(c)
			}
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				b.WriteByte(c)
			}
			depth = max(depth, 0)
		default:
			if depth == 0 {
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}

// importedNames reads "from m import a as b" and its like: name → m.a.
func (l *language) importedNames(code string) map[string]string {
	out := map[string]string{}
	for _, expression := range l.imports {
		module, names, whole := expression.SubexpIndex("module"), expression.SubexpIndex("names"), expression.SubexpIndex("whole")
		as, of := expression.SubexpIndex("as"), expression.SubexpIndex("of")
		if of >= 0 && len(out) == 0 {
			continue // no name could mean another's
		}
		for _, m := range expression.FindAllStringSubmatch(code, 100) {
			if as >= 0 && of >= 0 {
				rename(out, m[as], m[of])
				continue
			}
			source := strings.TrimPrefix(strings.ReplaceAll(m[module], "/", "."), "node:")
			if whole >= 0 && m[whole] != "" {
				out[m[whole]] = source
			}
			if names < 0 {
				continue
			}
			if as >= 0 {
				out[m[as]] = source + "." + m[names]
				continue
			}
			for _, item := range strings.Split(m[names], ",") {
				fields := strings.FieldsFunc(item, func(r rune) bool { return strings.ContainsRune(" \t\r\n:(){}", r) })
				if len(fields) > 0 {
					out[fields[len(fields)-1]] = source + "." + fields[0]
				}
			}
		}
	}
	return out
}

// rename gives a name what another one means: run = promisify(exec).
func rename(known map[string]string, name, of string) {
	first, rest, dotted := strings.Cut(of, ".")
	module, ok := known[first]
	switch {
	case !ok || known[name] != "":
	case dotted:
		known[name] = module + "." + rest
	default:
		known[name] = module
	}
}

// arguments are what a call is given.
type arguments struct {
	all        []*syntax.Node // in order, keywords among them
	positional []*syntax.Node
	template   bool // a tagged template instead of a list
}

// from are the arguments from a position on.
func (g arguments) from(position int) arguments {
	return arguments{all: g.all[min(position, len(g.all)):], positional: g.positional[min(position, len(g.positional)):]}
}

// keyword is the argument of a name, also one in an object of options.
func (g arguments) keyword(a *grammar, names ...string) *syntax.Node {
	for _, arg := range g.all {
		items := []*syntax.Node{arg}
		if a.role(arg) == roleList {
			items = a.operands(arg)
		}
		for _, item := range items {
			if role := a.role(item); role != roleKeyword && role != rolePair {
				continue
			}
			list := a.operands(item)
			if len(list) < 2 {
				continue
			}
			key := a.key(list[0])
			for _, name := range names {
				if key == name {
					return list[len(list)-1]
				}
			}
		}
	}
	return nil
}

func isWord(b byte) bool {
	return b == '_' || b == '.' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

func shortSource(text string) string {
	if len(text) > 60 {
		return strings.ToValidUTF8(text[len(text)-60:], "")
	}
	return text
}

// normal is an expression's code without white space, with "." for every way to
// name a member.
func (g *grammar) normal(n *syntax.Node) string {
	text := n.Text()
	if len(text) > maxName {
		text = strings.ToValidUTF8(text[:maxName], "")
	}
	return arrows.Replace(squeeze(text))
}

// dotted is the name of what is called, or of a member, without the arguments of
// earlier calls: "db.query", "connect().cursor".
func (g *grammar) dotted(n *syntax.Node) string {
	end := n.End
	if list := g.argumentList(n); list != nil {
		end = list.Start
	} else if block := n.Child("block"); block != nil && g.role(block) == roleClosure {
		end = block.Start
	}
	text := n.Text()[:end-n.Start]
	if len(text) > 4*maxName {
		text = strings.ToValidUTF8(text[len(text)-4*maxName:], "")
	}
	text = strings.TrimPrefix(strings.TrimSpace(text), "new ")
	name := namespaces.Replace(arrows.Replace(squeeze(withoutBrackets(text))))
	if strings.HasSuffix(name, ">") || strings.HasPrefix(name, "await") || strings.HasPrefix(name, "new") {
		name = generic.ReplaceAllString(name, "")
	}
	name = strings.TrimPrefix(name, ".")
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[len(name)-maxName:], "")
	}
	return name
}

// resolve replaces a name's first part by what the hunk imports it as.
func (g *grammar) resolve(name string) string {
	first, rest, dotted := strings.Cut(name, ".")
	module, ok := g.aliases[first]
	if !ok {
		return name
	}
	if dotted {
		return module + "." + rest
	}
	return module
}

// argumentList is the node that holds a call's arguments.
func (g *grammar) argumentList(n *syntax.Node) *syntax.Node {
	if g.role(n) != roleCall {
		return nil
	}
	if list := n.Child("arguments"); list != nil {
		return list
	}
	for _, c := range n.Children {
		if g.role(c) == roleArguments {
			return c
		}
	}
	return nil
}

func (g *grammar) arguments(n *syntax.Node) arguments {
	list := g.argumentList(n)
	if list == nil {
		return arguments{}
	}
	if g.role(list) == roleString {
		return arguments{template: true}
	}
	out := arguments{all: g.operands(list)}
	if g.role(list) != roleArguments {
		out.all = []*syntax.Node{list} // f(x for x in y)
	}
	for _, arg := range out.all {
		if role := g.role(arg); role != roleKeyword && (role != rolePair || g.role(list) != roleArguments) {
			out.positional = append(out.positional, arg)
		}
	}
	return out
}

// key is a key without quotes and colons.
func (g *grammar) key(n *syntax.Node) string {
	return strings.Trim(g.normal(n), "\"'`:@$")
}

// receiver is what a method is called on; nil for a plain function.
func (g *grammar) receiver(n *syntax.Node) *syntax.Node {
	if object := firstChild(n, "object", "receiver", "scope"); object != nil {
		return object
	}
	if function := n.Child("function"); function != nil && g.role(function) == roleMember {
		if list := g.operands(function); len(list) > 0 {
			return list[0]
		}
	}
	return nil
}
