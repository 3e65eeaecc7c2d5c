package policy

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// trimmed are findings of a size that can be kept.
func (f *fold) trimmed(list []events.Finding) []events.Finding {
	out := slices.Clone(list[:min(len(list), f.Kept.Findings)])
	for i := range out {
		one := &out[i]
		for _, text := range []*string{&one.ID, &one.Category, &one.File, &one.Text, &one.Fix, &one.Repro} {
			*text = shortened(*text, f.Kept.Text)
		}
	}
	return out
}

// bounded keeps the latest findings.
func (f *fold) bounded(list []events.Finding) []events.Finding {
	return keepLast(list, f.Kept.Findings)
}

func shortened(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}

// unresolved are the open findings of the last cycle and of the reviews since,
// the gravest first (RW-32).
func (c *Config) unresolved(s *State) []events.Finding {
	open := slices.Clone(s.Cycles.Open)
	slices.SortStableFunc(open, func(a, b events.Finding) int { return gravity(a.Severity) - gravity(b.Severity) })
	return open[:min(len(open), c.Kept.Unresolved)]
}

func gravity(s events.Severity) int {
	switch s {
	case events.SeverityCritical:
		return 0
	case events.SeverityWarning:
		return 1
	}
	return 2
}

func critical(list []events.Finding) int {
	n := 0
	for i := range list {
		if list[i].Severity == events.SeverityCritical {
			n++
		}
	}
	return n
}

// titles names findings in a sentence: by id, else by what they say.
func titles(list []events.Finding) string {
	const shown, length = 5, 60
	var names []string
	for i := range list[:min(len(list), shown)] {
		name := list[i].ID
		if name == "" {
			name = `"` + shortened(list[i].Text, length) + `"`
		}
		names = append(names, name)
	}
	if len(list) > shown {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}
