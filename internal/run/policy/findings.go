package policy

import (
	"slices"
	"strings"
	"unicode/utf8"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// trimmed are findings of a size that can be kept.
func (f *fold) trimmed(list []runevents.Finding) []runevents.Finding {
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
func (f *fold) bounded(list []runevents.Finding) []runevents.Finding {
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
func (c *Config) unresolved(s *State) []runevents.Finding {
	open := slices.Clone(s.Cycles.Open)
	slices.SortStableFunc(open, func(a, b runevents.Finding) int { return gravity(a.Severity) - gravity(b.Severity) })
	return open[:min(len(open), c.Kept.Unresolved)]
}

func gravity(s runevents.Severity) int {
	switch s {
	case runevents.SeverityCritical:
		return 0
	case runevents.SeverityWarning:
		return 1
	}
	return 2
}

func critical(list []runevents.Finding) int {
	n := 0
	for i := range list {
		if list[i].Severity == runevents.SeverityCritical {
			n++
		}
	}
	return n
}

// titles names findings in a sentence: by id, else by what they say.
func titles(list []runevents.Finding) string {
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
