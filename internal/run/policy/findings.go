package policy

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// trimmed returns findings shortened to the fields that the state keeps.
func (c *Config) trimmed(list []runevents.Finding) []runevents.Finding {
	out := slices.Clone(list[:min(len(list), c.Kept.Findings)])
	for i := range out {
		one := &out[i]
		for _, s := range []*string{&one.ID, &one.Category, &one.File, &one.Text, &one.Fix, &one.Repro} {
			*s = text.Cut(*s, c.Kept.Text)
		}
	}
	return out
}

// bounded keeps the latest findings.
func (c *Config) bounded(list []runevents.Finding) []runevents.Finding {
	return text.Newest(list, c.Kept.Findings)
}

// unresolved returns the open findings of the last cycle and of the reviews since,
// the most severe first (RW-32).
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

// titles lists findings in a sentence, by id or else by description.
func titles(list []runevents.Finding) string {
	const shown, length = 5, 60
	var names []string
	for i := range list[:min(len(list), shown)] {
		name := list[i].ID
		if name == "" {
			name = `"` + text.Cut(list[i].Text, length) + `"`
		}
		names = append(names, name)
	}
	if len(list) > shown {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}
