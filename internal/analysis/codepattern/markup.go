package codepattern

import "strings"

// codeOnly blanks everything but the code in a page that mixes code and markup, such as PHP's;
// every byte keeps its offset. Text printed into the page becomes an echo.
func (l *language) codeOnly(page string) string {
	list := l.config.Markup
	if len(list) == 0 {
		return page
	}
	open, at := l.nextOpening(page, 0)
	closes := strings.Index(page, list[0].Close)
	if at < 0 && closes < 0 {
		return page
	}
	out := []byte(page)
	from := 0
	if at >= 0 && (closes < 0 || at < closes) { // begins in the markup
		from = l.enter(out, 0, at, open)
	} else {
		open = &list[0]
	}
	for {
		end := endOfCode(page, from, open.Close)
		if end < 0 {
			return string(out)
		}
		out[end] = ';'
		after := end + len(open.Close)
		blank(out, end+1, after)
		if open, at = l.nextOpening(page, after); at < 0 {
			blank(out, after, len(out))
			return string(out)
		}
		from = l.enter(out, after, at, open)
	}
}

// nextOpening returns the offset at which code next begins.
func (l *language) nextOpening(page string, from int) (*markupConfig, int) {
	best, at := (*markupConfig)(nil), -1
	for i := range l.config.Markup {
		m := &l.config.Markup[i]
		if j := strings.Index(page[from:], m.Open); j >= 0 && (at < 0 || from+j < at) {
			best, at = m, from+j
		}
	}
	return best, at
}

// enter blanks markup from one offset to an opening and the opening itself, and
// gives where the code begins.
func (l *language) enter(out []byte, from, at int, open *markupConfig) int {
	end := at + len(open.Open)
	blank(out, from, end)
	const echo = "echo"
	if start := end - len(echo); open.Prints && start >= 0 {
		copy(out[start:], echo) // what it covers is markup, or the close before it
		if start > 0 && out[start-1] != ';' {
			out[start-1] = ' '
		}
	}
	return end
}

func blank(out []byte, from, to int) {
	for i := from; i < to; i++ {
		if out[i] != '\n' {
			out[i] = ' '
		}
	}
}

// endOfCode returns the offset at which code closes, skipping strings and block comments; -1 if it
// does not.
func endOfCode(page string, from int, closing string) int {
	for i := from; i < len(page); i++ {
		switch rest := page[i:]; {
		case strings.HasPrefix(rest, closing):
			return i
		case strings.HasPrefix(rest, "/*"):
			if end := strings.Index(rest[2:], "*/"); end >= 0 {
				i += end + 3
			}
		case page[i] == '#', strings.HasPrefix(rest, "//"): // an apostrophe in it opens nothing
			line, _, _ := strings.Cut(rest, "\n")
			if end := strings.Index(line, closing); end >= 0 {
				return i + end
			}
			i += len(line)
		case page[i] == '"', page[i] == '\'':
			i = endOfString(page, i)
		}
	}
	return -1
}

// endOfString returns the closing quote of the string that opens at an offset, the offset itself if
// it does not close.
func endOfString(page string, open int) int {
	for i := open + 1; i < len(page); i++ {
		switch page[i] {
		case '\\':
			i++
		case page[open]:
			return i
		}
	}
	return open
}
