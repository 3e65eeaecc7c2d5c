package syntax

import "bytes"

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
