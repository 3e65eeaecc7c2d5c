package weakenedcheck

import (
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// figures finds numbers that went the easier way: thresholds, time limits, retries.
type figures struct{ *turn }

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
func (j *figures) numbered(e *edit) {
	for k := range j.Numbers {
		n := &j.Numbers[k]
		if !slices.Contains(n.In, e.class) {
			continue
		}
		offset := 0
		for _, l := range e.added {
			if !kept(e.removed, l.Text) {
				j.easier(e, n, l.Text, offset)
			}
			offset += len(l.Text) + 1
		}
	}
	if e.class == continuous || e.class == settings {
		for _, l := range e.added {
			j.note(e.file, e.class, l.Text)
		}
	}
}

// easier compares the numbers of an added line with those of the removed ones, with what
// a comment says that they were, or with the default.
func (j *figures) easier(e *edit, n *number, text string, offset int) {
	for _, p := range n.Patterns {
		now, ok := figureIn(p, text)
		if !ok {
			continue
		}
		before, known := j.formerNumber(e, n, p, now.key)
		if _, comment, is := cutComment(text); !known && is {
			before, known = figureOf(j.Formerly, comment)
		}
		if !known || before == now.value || !weaker(n, before, now.value) {
			continue
		}
		c := change{
			kind: n.Kind, class: e.class, file: e.file, before: decimal(before), after: now.text, detail: now.key,
			segment: e.segment, offset: offset + now.from, long: now.to - now.from,
		}
		if e.class == tests {
			c.test = e.testAround(text)
		}
		j.report(c)
		return
	}
}

// formerNumber is the number that a removed line gives the same key.
func (j *figures) formerNumber(e *edit, n *number, p *pattern.Regexp, key string) (float64, bool) {
	for _, r := range e.removed {
		if was, ok := figureIn(p, r.Text); ok && strings.EqualFold(was.key, key) {
			return was.value, true
		}
	}
	if len(e.removed) > 0 {
		return 0, false
	}
	if v, known := j.memory.threshold(e.file, key); known && n.Kind == "lowered" {
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

// threshold is a number in a file of settings, as the session read or wrote it last.
type threshold struct {
	Path string  `json:"p"`
	Key  string  `json:"k"`
	N    float64 `json:"n"`
}

// sets notes a number of a file.
func (m *memory) sets(path, key string, n float64, limit int) {
	i := slices.IndexFunc(m.Thresholds, func(o threshold) bool { return registry.SameFile(o.Path, path) && strings.EqualFold(o.Key, key) })
	if i >= 0 {
		m.Thresholds[i].N = n
		return
	}
	m.Thresholds = text.Newest(append(m.Thresholds, threshold{path, key, n}), limit)
}

// threshold is the number of a key, in one file or, without a path, in any.
func (m *memory) threshold(path, key string) (float64, bool) {
	for _, o := range slices.Backward(m.Thresholds) {
		if path == "" && strings.HasSuffix(bare(key), bare(o.Key)) || path != "" && registry.SameFile(o.Path, path) && strings.EqualFold(o.Key, key) {
			return o.N, true
		}
	}
	return 0, false
}

// separators are removed from a key.
var separators = strings.NewReplacer("-", "", "_", "", ".", "")

// bare is a key without dashes and underscores: "--cov-fail-under" ends like "fail_under".
func bare(key string) string {
	return strings.ToLower(separators.Replace(key))
}

// thresholds calls with each threshold that a line of a class of files has, until it returns true.
func (j *figures) thresholds(class, line string, with func(*number, figure) (enough bool)) {
	for k := range j.Numbers {
		n := &j.Numbers[k]
		if n.Kind != "lowered" || !slices.Contains(n.In, class) {
			continue
		}
		for _, p := range n.Patterns {
			if f, ok := figureIn(p, line); ok && with(n, f) {
				return
			}
		}
	}
}

// note keeps the thresholds in a line of a file of settings or CI.
func (j *figures) note(file, class, line string) {
	j.thresholds(class, line, func(_ *number, f figure) bool {
		j.memory.sets(file, f.key, f.value, j.Limits.Files)
		return false
	})
}

// lenient reports a threshold that a command line lowers: what the settings demand, or what a
// run said that was missed. A run of a part of the tests cannot meet it.
func (j *figures) lenient(s *sessionevents.Segment, line string) {
	if slices.ContainsFunc(s.Checks, func(c sessionevents.Check) bool { return len(c.Scope)+len(c.Filters) > 0 }) {
		return
	}
	j.thresholds(settings, line, func(n *number, f figure) bool {
		before, known := j.demandedNumber(f.key)
		lowers := strings.HasPrefix(f.key, "-") && known && before != f.value && weaker(n, before, f.value)
		if lowers {
			j.report(change{kind: n.Kind, detail: f.key, before: decimal(before), after: f.text, segment: s})
		}
		return lowers
	})
}

// demandedNumber is the threshold that a flag of a command line replaces.
func (j *figures) demandedNumber(key string) (float64, bool) {
	for _, f := range slices.Backward(j.memory.Failures) {
		if n, missed := figureOf(j.Missed, f.Text); missed {
			return n, true
		}
	}
	return j.memory.threshold("", key)
}
