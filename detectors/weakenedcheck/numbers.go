package weakenedcheck

import (
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// figure is a number that a line gives a key.
type figure struct {
	key, text string
	value     float64
	from, to  int // in the line
}

// figureIn is the figure that a pattern finds in a line.
func figureIn(p *pattern.Regexp, line string) (figure, bool) {
	at := p.FindStringSubmatchIndex(line)
	if at == nil {
		return figure{}, false
	}
	text := p.Group(line, at, "n")
	value, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	return figure{p.Group(line, at, "key"), text, value, at[0], at[1]}, err == nil
}

// figureOf is the number that a pattern without keys finds.
func figureOf(p *pattern.Regexp, text string) (float64, bool) {
	f, ok := figureIn(p, text)
	return f.value, ok
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// numbered reports numbers that went the easier way.
func (t *turn) numbered(e *edit) {
	for k := range t.Numbers {
		n := &t.Numbers[k]
		if !slices.Contains(n.In, e.class) {
			continue
		}
		offset := 0
		for _, l := range e.added {
			if !kept(e.removed, l.Text) {
				t.easier(e, n, l.Text, offset)
			}
			offset += len(l.Text) + 1
		}
	}
	if e.class == continuous || e.class == settings {
		for _, l := range e.added {
			t.note(e.file, e.class, l.Text)
		}
	}
}

// easier compares the numbers of an added line with those of the removed ones, with what
// a comment says that they were, or with the default.
func (t *turn) easier(e *edit, n *number, text string, offset int) {
	for _, p := range n.Patterns {
		now, ok := figureIn(p, text)
		if !ok {
			continue
		}
		before, known := t.formerNumber(e, n, p, now.key)
		if _, comment, is := cutComment(text); !known && is {
			before, known = figureOf(t.Formerly, comment)
		}
		if !known || before == now.value || !weaker(n, before, now.value) {
			continue
		}
		c := change{
			kind: n.Kind, class: e.class, file: e.file, before: decimal(before), after: now.text, detail: now.key,
			segment: e.segment, offset: offset + now.from, long: now.to - now.from,
		}
		if e.class == tests {
			c.test = t.testAround(e, text)
		}
		t.report(c)
		return
	}
}

// formerNumber is the number that a removed line gives the same key.
func (t *turn) formerNumber(e *edit, n *number, p *pattern.Regexp, key string) (float64, bool) {
	for _, r := range e.removed {
		if was, ok := figureIn(p, r.Text); ok && strings.EqualFold(was.key, key) {
			return was.value, true
		}
	}
	if len(e.removed) > 0 {
		return 0, false
	}
	if v, known := t.memory.threshold(e.file, key); known && n.Kind == "lowered" {
		return v, true
	}
	v, known := n.Defaults[key]
	return v, known
}

func weaker(n *number, before, after float64) bool {
	if n.Weaker == "up" {
		return after > before && after >= n.LeastRatio*before
	}
	return after < before
}
