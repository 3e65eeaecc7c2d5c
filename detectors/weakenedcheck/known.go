package weakenedcheck

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/assertion"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// remember keeps what the file checks now, and what the session added.
func (t *turn) remember(e *edit, before, after assertion.Reading) {
	m, limit := t.memory, t.Limits.Assertions
	f := m.keep(e.file, t.Limits.Files)
	if e.segment.Diff.Op == sessionevents.DiffCreate && len(e.removed) == 0 {
		f.Own = f.Own || len(f.Tests) == 0 && len(f.Assertions) == 0 && !t.existed(e)
		f.Tests, f.Assertions = nil, nil
	}
	for _, a := range after.Tests {
		if !slices.ContainsFunc(before.Tests, func(b assertion.Test) bool { return b.Name == a.Name }) {
			t.added = append(t.added, testKey+a.Name)
		}
		if !slices.ContainsFunc(before.Tests, func(b assertion.Test) bool { return b.Name == a.Name }) && e.segment.Diff.Op != sessionevents.DiffCreate {
			f.OwnTests = bounded(f.OwnTests, a.Name, limit)
		}
		f.Tests = bounded(f.Tests, a.Name, limit)
	}
	f.Assertions = slices.DeleteFunc(f.Assertions, func(a assertion.Assertion) bool {
		return slices.ContainsFunc(before.Assertions, func(b assertion.Assertion) bool { return assertion.Same(&a, &b) })
	})
	for _, a := range after.Assertions {
		if !slices.ContainsFunc(f.Assertions, func(b assertion.Assertion) bool { return assertion.Same(&a, &b) && a.Test == b.Test }) && len(f.Assertions) < limit {
			f.Assertions = append(f.Assertions, a)
		}
		if !slices.ContainsFunc(before.Assertions, func(b assertion.Assertion) bool { return assertion.Same(&a, &b) }) {
			t.added = append(t.added, a.Subject+"\x00"+a.Expected)
		}
	}
}

// bounded adds a text once and drops the oldest beyond the limit.
func bounded(list []string, text string, limit int) []string {
	if slices.Contains(list, text) {
		return list
	}
	list = append(list, text)
	return list[max(0, len(list)-limit):]
}
