package fleetreport

import (
	"cmp"
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// guarded counts calls that the guard denied, kept or warned of (GD-21).
func (b *builder) guarded(c Count, n int) {
	p := b.prevented[c.Name]
	if p == nil {
		p = &Prevented{Act: c.Name}
		b.prevented[c.Name] = p
	}
	switch sessionevents.GuardOutcome(c.What) {
	case sessionevents.GuardDenied:
		p.Denied += n
	case sessionevents.GuardKept:
		p.Kept += n
	case sessionevents.GuardAllowed:
		p.Allowed += n
	case sessionevents.GuardWarned:
		p.Warned += n
	default:
		return
	}
	b.total.Prevented += n
	b.day(c.Day).Prevented += n
}

// guardedMost are the acts, those first that were prevented most.
func (b *builder) guardedMost() []Prevented {
	list := []Prevented{}
	for _, name := range slices.Sorted(maps.Keys(b.prevented)) {
		list = append(list, *b.prevented[name])
	}
	slices.SortStableFunc(list, func(x, y Prevented) int { return cmp.Compare(y.All(), x.All()) })
	return list
}

// preventedCounts are those of all acts.
func (m *Model) preventedCounts() (all prevented.Counts) {
	for _, p := range m.Prevented {
		all.Denied, all.Kept, all.Warned, all.Allowed = all.Denied+p.Denied, all.Kept+p.Kept, all.Warned+p.Warned, all.Allowed+p.Allowed
	}
	return all
}

// preventedTable is the section "Prevented", without rows where there is nothing.
func preventedTable(m Model) doc.Part {
	t := doc.FiguresPart(prevented.Title, "would have been", "denied", "kept first", "warned of", "allowed once")
	for _, p := range m.Prevented {
		t.Row(append([]string{p.Act}, figures(p.Denied, p.Kept, p.Warned, p.Allowed)...)...)
	}
	return t
}
