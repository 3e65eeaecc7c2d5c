package codepattern

import (
	"strings"

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
