// Package picture turns what a terminal shows into an SVG that is readable on light and dark pages. Package
// test/readme draws the README's pictures with it, from the output of the program as it is.
package picture

import (
	"cmp"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Draw writes a picture of a terminal of so many columns. Of more than so many rows it keeps what [choose] chooses.
func Draw(out io.Writer, terminal, title string, columns, rows int) error {
	lines := parsed(terminal)
	if len(lines) == 0 {
		return errors.New("nothing to show")
	}
	return draw(out, title, columns, choose(lines, rows))
}

func parsed(terminal string) (lines []line) {
	for text := range strings.Lines(terminal) {
		lines = append(lines, parse(strings.TrimRight(text, "\r\n")))
	}
	return lines
}

// loud is a line of the feed that somebody has to hear; its groups are its kind, of an interrupt with the class of the
// detector.
var loud = regexp.MustCompile(`^\S+(?: \S+)? +(✗ denied|⚡|→ [A-Z]+|■ HALTED|✗ DENIED)(?:.*, ([A-Z])\d+$)?`)

// kinds are the kinds in the order in which they are shown, by how they begin.
var kinds = []string{"✗ denied", "⚡", "→", "■", "✗ DENIED"}

// entry is a loud line with its text.
type entry struct {
	kind  string
	lines []line
}

func (e entry) text() string {
	var b strings.Builder
	for _, l := range e.lines {
		b.WriteString(l.text() + "\n")
	}
	return b.String()
}

// choose keeps the heading, one loud entry of each kind with its text, and the table of the runs, up to so many
// rows; a dotted line stands for what is left out. Sessions run concurrently, so that what comes first differs from
// run to run: the order is that of the kinds, and of a kind the first by its text is kept.
func choose(lines []line, rows int) []line {
	if len(lines) <= rows {
		return lines
	}
	const heading = 2
	chosen, rest := slices.Clone(lines[:heading]), lines[heading:]
	var runs []line
	best := map[string]entry{}
	for i, l := range rest {
		text := l.text()
		switch found := loud.FindStringSubmatch(text); {
		case found != nil:
			one := entry{found[1] + found[2], rest[i : i+1+below(rest[i+1:])]}
			if known, is := best[one.kind]; len(one.lines) > 1 && (!is || one.text() < known.text()) {
				best[one.kind] = one
			}
		case strings.HasPrefix(text, "run ") && strings.Contains(text, "state"):
			runs = rest[i:]
			if end := slices.IndexFunc(runs, blank); end >= 0 {
				runs = runs[:end]
			}
		}
	}
	list := make([]entry, 0, len(best))
	for _, one := range best {
		list = append(list, one)
	}
	rank := func(e entry) int {
		return slices.IndexFunc(kinds, func(begin string) bool { return strings.HasPrefix(e.kind, begin) })
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a.kind, b.kind)) })
	if len(runs) > 0 {
		list = append(list, entry{lines: runs})
	}
	for _, one := range list {
		chosen = append(append(chosen, line{{text: "⋮", style: style{colour: faint}}}), one.lines...)
	}
	return chosen[:min(len(chosen), rows)]
}

func blank(l line) bool { return strings.TrimSpace(l.text()) == "" }

// below counts the lines of text under a head, up to the answers it lists.
func below(lines []line) int {
	for i, l := range lines {
		text := strings.TrimSpace(l.text())
		if !strings.HasPrefix(l.text(), " ") || strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "→ ") {
			return i
		}
	}
	return len(lines)
}
