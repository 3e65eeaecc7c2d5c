package weakenedcheck

import (
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
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

// note keeps the numbers in lines of a file of settings.
func (t *turn) note(file, class string, lines []string) {
	for k := range t.Numbers {
		n := &t.Numbers[k]
		if n.Kind != "lowered" || !slices.Contains(n.In, class) || class == tests {
			continue
		}
		for _, line := range lines {
			for _, p := range n.patterns {
				if at := p.FindStringSubmatchIndex(line); at != nil {
					if v, err := strconv.ParseFloat(group(p, line, at, "n"), 64); err == nil {
						t.memory.sets(file, group(p, line, at, "key"), v, t.Limits.Files)
					}
					break
				}
			}
		}
	}
}

// lenient reports a threshold that a command line lowers: what the settings demand, or what a
// run said that was missed. A run of a part of the tests cannot meet it.
func (t *turn) lenient(s *sessionevents.Segment, line string) {
	if slices.ContainsFunc(s.Checks, func(c sessionevents.Check) bool { return len(c.Scope)+len(c.Filters) > 0 }) {
		return
	}
	for k := range t.Numbers {
		n := &t.Numbers[k]
		if n.Kind != "lowered" || !slices.Contains(n.In, settings) {
			continue
		}
		for _, p := range n.patterns {
			at := p.FindStringSubmatchIndex(line)
			if at == nil || !strings.HasPrefix(group(p, line, at, "key"), "-") {
				continue
			}
			key := group(p, line, at, "key")
			after, err := strconv.ParseFloat(group(p, line, at, "n"), 64)
			before, known := t.demandedNumber(key)
			if err == nil && known && before != after && weaker(n, before, after) {
				t.report(change{kind: n.Kind, detail: key, before: decimal(before), after: group(p, line, at, "n"), segment: s})
				return
			}
		}
	}
}

// demandedNumber is the threshold that a flag of a command line replaces.
func (t *turn) demandedNumber(key string) (float64, bool) {
	for _, f := range slices.Backward(t.memory.Failures) {
		if m := t.missed.FindStringSubmatch(f.Text); m != nil {
			return parsed(t.missed, m)
		}
	}
	return t.memory.threshold("", key)
}

func parsed(p *pattern.Regexp, m []string) (float64, bool) {
	for i, name := range p.SubexpNames() {
		if name == "n" && m[i] != "" {
			v, err := strconv.ParseFloat(m[i], 64)
			return v, err == nil
		}
	}
	return 0, false
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
