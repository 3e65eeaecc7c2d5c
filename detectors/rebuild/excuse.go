package rebuild

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
)

// excused reports whether there is a reason to build the thing again: it is revised,
// fixed or moved, or something about it has failed since.
func (d *instance) excused(m *memory, t *turn, a *again) bool {
	return t.Additions.Errors > 0 || d.failedSince(m, t, a) || d.revised(t, a)
}

// revised reports whether the plan says that the thing is revised or moved, either in
// what the turn says openly or in a thought about the thing.
func (d *instance) revised(t *turn, a *again) bool {
	for i := range t.Additions.Sentences {
		s := &t.Additions.Sentences[i]
		if s.Thinking && !named(s.Text, a.names) {
			continue
		}
		text := prose.Parse(s.Text).Masked
		if d.Revising.MatchString(text) || d.Moving.MatchString(text) {
			return true
		}
	}
	return false
}

// failedSince reports whether a failure after the earlier build names the thing,
// or a test, build or run failed shortly before.
func (d *instance) failedSince(m *memory, t *turn, a *again) bool {
	for i := range m.Failures {
		f := &m.Failures[i]
		near := f.Run && t.Turn.Turn-f.Turn <= d.FailureTurns
		if f.Turn >= a.earlier.Turn && (near || named(f.Text, a.names)) {
			return true
		}
	}
	return false
}

// asked reports whether a user message since the earlier build names the thing (SW-42).
func asked(t *turn, a *again) bool {
	for _, r := range t.Baseline().Requests {
		if r.Turn > a.earlier.Turn && named(r.Text, a.names) {
			return true
		}
	}
	return false
}

func named(text string, names []string) bool {
	for _, name := range names {
		if word(text, name) {
			return true
		}
	}
	return false
}

// word reports whether text contains name as a whole word, ignoring case.
func word(text, name string) bool {
	if name == "" {
		return false
	}
	text, name = strings.ToLower(text), strings.ToLower(name)
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(name)
		if (i == 0 || !wordByte(text[i-1])) && (end == len(text) || !wordByte(text[end])) {
			return true
		}
		from = i + 1
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 0x80
}
