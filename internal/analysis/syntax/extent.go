package syntax

import "bytes"

// extents finds where each candidate's body ends and what encloses it.
func (l *language) extents(code string, masked []byte, list []candidate) {
	var enclosing []int // stack of indexes into list
	for i := range list {
		c := &list[i]
		c.bodyEnd = l.bodyEnd(code, masked, c)
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

func (l *language) bodyEnd(code string, masked []byte, c *candidate) int {
	if l.Block == "braces" {
		return bracesEnd(masked, c.headEnd)
	}
	return indentEnd(code, masked, c, l.Block == "end")
}

// bracesEnd is the offset after the brace that closes the body which opens at
// or right after from; without a body it is from, without a closing brace the
// end of the fragment.
func bracesEnd(masked []byte, from int) int {
	at := from
	for at < len(masked) && (masked[at] == ' ' || masked[at] == '\t' || masked[at] == '\n' || masked[at] == '\r') {
		at++
	}
	if at >= len(masked) || masked[at] != '{' {
		return from + len(firstLine(masked[from:]))
	}
	depth := 0
	for ; at < len(masked); at++ {
		switch masked[at] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return len(masked)
}

// indentEnd is the end of the lines that stand deeper than the head. With end,
// the closing line belongs to the body. Lines that are blank once comments and
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
