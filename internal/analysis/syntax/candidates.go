package syntax

import (
	"bytes"
	"strings"
)

// Limits of a declaration's head.
const (
	maxHeadLines    = 12
	maxHeadBytes    = 1500
	maxDeclarations = 400 // per fragment
)

// candidate is a place that looks like a declaration.
type candidate struct {
	form               *form
	name               string
	start              int // of the head, after indentation
	nameAt, nameEnd    int
	headEnd            int // of the head: where its body or terminator begins
	bodyEnd            int
	indent             int
	line               int // from 0 within the fragment
	complete           bool
	kind, parameters   string
	container          int // index of the enclosing candidate, -1 for none
	rejected           bool
	insideFunctionBody bool
}

// candidates returns the heads in code, in order of appearance.
func (l *language) candidates(code string, masked []byte, found [][]int) []candidate {
	out := make([]candidate, 0, min(len(found), maxDeclarations))
	line, counted := 0, 0
	for _, m := range found {
		c, ok := l.candidate(code, masked, m)
		if !ok || len(out) >= maxDeclarations {
			continue
		}
		line += strings.Count(code[counted:c.start], "\n")
		counted = c.start
		c.line = line
		out = append(out, c)
	}
	return out
}

func (l *language) candidate(code string, masked []byte, m []int) (candidate, bool) {
	for i := range l.Declarations {
		from, to := m[4+2*i], m[5+2*i]
		if from < 0 {
			continue
		}
		c := candidate{
			form: &l.Declarations[i], name: code[from:to], start: m[3], nameAt: from, nameEnd: to,
			indent: columns(code[m[2]:m[3]]), container: -1,
		}
		inText := masked[c.start] != code[c.start] || masked[from] != code[from]
		if inText || c.form.Direct && l.looksLikeStatement(code[c.start:to], c.name) {
			return c, false
		}
		ok := l.head(&c, masked)
		return c, ok
	}
	return candidate{}, false
}

// looksLikeStatement distinguishes "if (x)" and "return foo(" from a method's head.
func (l *language) looksLikeStatement(head, name string) bool {
	if end := strings.IndexFunc(head, notWord); end > 0 {
		head = head[:end]
	}
	return l.skip[name] || l.skip[head]
}

func notWord(r rune) bool {
	return r != '_' && r != '$' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// columns returns the width of indentation; a tab counts as four.
func columns(white string) int {
	n := 0
	for i := range len(white) {
		if white[i] == '\t' {
			n += 3
		}
		n++
	}
	return n
}

// head finds where the head ends, outside brackets. It returns false if the text after
// the name shows that it is not a declaration.
func (l *language) head(c *candidate, masked []byte) bool {
	depth, lines := 0, 0
	limit := min(len(masked), c.start+maxHeadBytes)
	for at := c.nameEnd; at < limit; at++ {
		b := masked[at]
		if depth == 0 {
			if stop := startsWith(masked[at:], c.form.Never); stop != "" {
				return false
			}
			if stop := startsWith(masked[at:], c.form.Until); stop != "" {
				c.headEnd, c.complete = at, true
				if stop == "=>" || stop == "=" {
					c.headEnd += len(stop)
				}
				return true
			}
		}
		switch b {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '\n':
			lines++
		}
		if depth < 0 || lines >= maxHeadLines {
			break
		}
	}
	// The fragment ends within the head: use its first line, unless the form looks like a
	// call without its end.
	c.headEnd = c.nameEnd + len(firstLine(masked[c.nameEnd:]))
	return !c.form.Direct && len(c.form.Never) == 0
}

func firstLine(text []byte) []byte {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i]
	}
	return text
}

func startsWith(text []byte, tokens []string) string {
	for _, t := range tokens {
		if len(text) >= len(t) && string(text[:len(t)]) == t {
			return t
		}
	}
	return ""
}

// written returns the source of the parameter list after the name, for use without a tree; "" for
// declarations without parameters.
func (c *candidate) written(code string, masked []byte) string {
	if c.form.Kind != "function" && c.form.Kind != "method" {
		return ""
	}
	head := masked[c.nameEnd:max(c.nameEnd, c.headEnd)]
	open := bytes.IndexByte(head, '(')
	if open < 0 {
		return arrowParameter(string(head))
	}
	open += c.nameEnd
	depth := 0
	for at := open; at < c.headEnd; at++ {
		switch masked[at] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return code[open : at+1]
			}
		}
	}
	return code[open:c.headEnd]
}

// arrowParameter returns the x of " = x =>" or " = async x =>".
func arrowParameter(head string) string {
	before, ok := strings.CutSuffix(head, "=>")
	if !ok {
		return ""
	}
	fields := strings.Fields(before[strings.LastIndexByte(before, '=')+1:])
	if len(fields) == 0 {
		return ""
	}
	return fields[len(fields)-1]
}

// extents finds where each candidate's body ends and what encloses it.
func (l *language) extents(code string, masked []byte, list []candidate) {
	if l.Block == "braces" {
		bracesEnds(masked, list)
	}
	var enclosing []int // stack of indexes into list
	for i := range list {
		c := &list[i]
		if l.Block != "braces" {
			c.bodyEnd = indentEnd(code, masked, c, l.Block == "end")
		}
		for len(enclosing) > 0 && list[enclosing[len(enclosing)-1]].bodyEnd <= c.start {
			enclosing = enclosing[:len(enclosing)-1]
		}
		if len(enclosing) > 0 {
			c.container = enclosing[len(enclosing)-1]
			outer := list[c.container].form.Kind
			c.insideFunctionBody = outer == "function" || outer == "method"
		}
		enclosing = append(enclosing, i)
	}
}

// bracesEnds sets each body's end to the offset after its closing brace in a single scan.
// A body without a closing brace extends to the end of the fragment, and a head without a
// body to the end of its line.
func bracesEnds(masked []byte, list []candidate) {
	ends := map[int]int{} // opening brace → end of its body
	for i := range list {
		c := &list[i]
		if open := braceAfter(masked, c.headEnd); open >= 0 {
			ends[open] = len(masked)
			c.bodyEnd = open // provisionally
		} else {
			c.bodyEnd = -1
		}
	}
	var stack []int
	for at, b := range masked {
		if b == '{' {
			stack = append(stack, at)
		} else if b == '}' && len(stack) > 0 {
			open := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if _, wanted := ends[open]; wanted {
				ends[open] = at + 1
			}
		}
	}
	for i := range list {
		c := &list[i]
		if c.bodyEnd >= 0 {
			c.bodyEnd = ends[c.bodyEnd]
		} else {
			c.bodyEnd = c.headEnd + len(firstLine(masked[c.headEnd:]))
		}
	}
}

// braceAfter returns the brace that follows white space at from, -1 if there is none.
func braceAfter(masked []byte, from int) int {
	for at := from; at < len(masked); at++ {
		switch masked[at] {
		case ' ', '\t', '\n', '\r':
		case '{':
			return at
		default:
			return -1
		}
	}
	return -1
}

// indentEnd returns the end of the lines that are indented further than the head. With
// end, the closing line belongs to the body. Lines that are blank once comments and
// strings are masked do not end a body.
func indentEnd(code string, masked []byte, c *candidate, withEnd bool) int {
	end := c.headEnd + len(firstLine(masked[c.headEnd:]))
	for at := end; at < len(masked); {
		next := at + 1
		line := firstLine(masked[next:])
		stop := next + len(line)
		if trimmed := bytes.TrimLeft(line, " \t\r"); len(trimmed) > 0 {
			if columns(code[next:stop-len(trimmed)]) <= c.indent {
				if withEnd && bytes.HasPrefix(trimmed, []byte("end")) {
					return stop
				}
				return end
			}
			end = stop
		}
		at = stop
	}
	return end
}
