package codepattern

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// stringValue reads a string literal with the values in its holes.
func (a *analysis) stringValue(n *syntax.Node) value {
	out, content := constant(""), false
	for _, c := range n.Children {
		switch {
		case !c.Named, strings.HasSuffix(c.Kind, "_start"), strings.HasSuffix(c.Kind, "_end"):
		case a.role(c) == roleString: // implicit concatenation
			out, content = joined(out, a.stringValue(c)), true
		case strings.Contains(c.Kind, "content"), strings.Contains(c.Kind, "fragment"), strings.Contains(c.Kind, "escape"):
			out.text, content = shorten(out.text+c.Text()), true
		default:
			out, content = joined(out, a.inHole(c)), true
		}
	}
	if !content {
		return constant(unquote(n.Text()))
	}
	return out
}

// inHole is the value of a hole; one that is formatted as a number does no harm.
func (a *analysis) inHole(n *syntax.Node) value {
	for _, c := range n.Children {
		if c.Kind == "format_specifier" && strings.ContainsAny(lastByte(c.Text()), "dfxXeEgGob") {
			return constant("0")
		}
	}
	v := a.eval(n)
	if len(v.parts) > 0 && !v.known {
		v.text, v.known = hole, true
	}
	return v
}

func lastByte(text string) string {
	if text == "" {
		return ""
	}
	return text[len(text)-1:]
}

// unquote removes the quotes and their prefix from a literal.
func unquote(text string) string {
	if bare := strings.TrimLeft(text, "rRbBfFuU@$"); bare != "" && strings.ContainsAny(bare[:1], "\"'`") {
		text = bare
	}
	return strings.Trim(text, "\"'`")
}

var (
	verb  = pattern.Must(`%(?:%|(?:\((\w+)\))?[-+ #0]*(?:\*|\d+\$?|\[\d+\])?(?:\.(?:\*|\d+))?[hlLqjzt]*([a-zA-Z]))`)
	brace = pattern.Must(`\{\{|\}\}|\{[^{}]*\}`)
)

// harmlessVerbs print numbers, pointers, types and truth values only.
const harmlessVerbs = "diufFeEgGxXocbtTpU"

// printf fills a template with verbs; a verb for numbers makes its argument
// harmless.
func (a *analysis) printf(template value, arguments []*syntax.Node) value {
	if !template.known {
		return a.together(template, arguments)
	}
	out, at, next := value{known: true, parts: template.parts}, 0, 0
	for _, m := range verb.FindAllStringSubmatchIndex(template.text, -1) {
		out.text += template.text[at:m[0]]
		at = m[1]
		if m[4] < 0 {
			out.text += "%"
			continue
		}
		filled := constant("0")
		if !strings.Contains(harmlessVerbs, template.text[m[4]:m[5]]) || template.text[m[4]:m[5]] == "x" && m[2] < 0 && next >= len(arguments) {
			switch {
			case m[2] >= 0 && len(arguments) > 0: // %(name)s takes from a dictionary
				filled = a.eval(arguments[0]).element()
			case next < len(arguments):
				filled = a.eval(arguments[next])
			}
			if !filled.known && len(filled.parts) > 0 {
				filled.text, filled.known = hole, true
			}
		}
		next++
		out = joined(out, filled)
	}
	out.text = shorten(out.text + template.text[at:])
	return out
}

// braces fills a template of {} and {name}.
func (a *analysis) braces(template value, arguments []*syntax.Node) value {
	if !template.known {
		return a.together(template, arguments)
	}
	out := value{known: true, parts: template.parts}
	values := make([]value, len(arguments))
	for i, arg := range arguments {
		values[i] = a.eval(arg)
	}
	next := 0
	out.text = shorten(brace.ReplaceAllStringFunc(template.text, func(found string) string {
		if found == "{{" || found == "}}" {
			return found[:1]
		}
		i := a.fills(strings.Trim(found, "{}"), arguments, &next)
		if i < 0 || len(values[i].parts) == 0 {
			return ""
		}
		if _, spec, _ := strings.Cut(strings.Trim(found, "{}"), ":"); spec != "" && strings.ContainsAny(lastByte(spec), "dfxXeEgGob") {
			return "0"
		}
		out.parts = merge(out.parts, values[i].parts)
		return hole
	}))
	return out
}

// fills is the index of the argument that a brace takes.
func (a *analysis) fills(field string, arguments []*syntax.Node, next *int) int {
	name := field
	if end := strings.IndexAny(field, ":!.["); end >= 0 {
		name = field[:end]
	}
	if name != "" {
		for i, arg := range arguments {
			if key := arg.Child("name"); a.role(arg) == roleKeyword && key != nil && key.Text() == name {
				return i
			}
		}
	}
	if name != "" && (name[0] < '0' || name[0] > '9') { // filled from **mapping
		return len(arguments) - 1
	}
	if name != "" {
		*next = int(name[0] - '0')
	}
	*next++
	if *next > len(arguments) {
		return len(arguments) - 1
	}
	return *next - 1
}

// together is a text of which only the parts are known.
func (a *analysis) together(template value, arguments []*syntax.Node) value {
	out := template
	for _, arg := range arguments {
		out = joined(out, a.eval(arg))
	}
	return out
}
