package weakenedcheck

import (
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// threshold is a number in a file of settings, as the session read or wrote it last.
type threshold struct {
	Path string  `json:"p"`
	Key  string  `json:"k"`
	N    float64 `json:"n"`
}

// sets notes a number of a file.
func (m *memory) sets(path, key string, n float64, limit int) {
	i := slices.IndexFunc(m.Thresholds, func(o threshold) bool { return samePath(o.Path, path) && strings.EqualFold(o.Key, key) })
	if i >= 0 {
		m.Thresholds[i].N = n
		return
	}
	m.Thresholds = append(m.Thresholds, threshold{path, key, n})
	if extra := len(m.Thresholds) - limit; extra > 0 {
		m.Thresholds = slices.Clone(m.Thresholds[extra:])
	}
}

// threshold is the number of a key, in one file or, without a path, in any.
func (m *memory) threshold(path, key string) (float64, bool) {
	for _, o := range slices.Backward(m.Thresholds) {
		if path == "" && strings.HasSuffix(bare(key), bare(o.Key)) || path != "" && samePath(o.Path, path) && strings.EqualFold(o.Key, key) {
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
func (t *turn) thresholds(class, line string, with func(*number, figure) (enough bool)) {
	for k := range t.Numbers {
		n := &t.Numbers[k]
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
func (t *turn) note(file, class, line string) {
	t.thresholds(class, line, func(_ *number, f figure) bool {
		t.memory.sets(file, f.key, f.value, t.Limits.Files)
		return false
	})
}

// lenient reports a threshold that a command line lowers: what the settings demand, or what a
// run said that was missed. A run of a part of the tests cannot meet it.
func (t *turn) lenient(s *sessionevents.Segment, line string) {
	if slices.ContainsFunc(s.Checks, func(c sessionevents.Check) bool { return len(c.Scope)+len(c.Filters) > 0 }) {
		return
	}
	t.thresholds(settings, line, func(n *number, f figure) bool {
		before, known := t.demandedNumber(f.key)
		lowers := strings.HasPrefix(f.key, "-") && known && before != f.value && weaker(n, before, f.value)
		if lowers {
			t.report(change{kind: n.Kind, detail: f.key, before: decimal(before), after: f.text, segment: s})
		}
		return lowers
	})
}

// demandedNumber is the threshold that a flag of a command line replaces.
func (t *turn) demandedNumber(key string) (float64, bool) {
	for _, f := range slices.Backward(t.memory.Failures) {
		if n, missed := figureOf(t.Missed, f.Text); missed {
			return n, true
		}
	}
	return t.memory.threshold("", key)
}
