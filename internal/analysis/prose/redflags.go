package prose

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// RedFlags is the compiled catalogue of SW-20.
type RedFlags struct {
	phrases *Phrases
	entries []Entry
}

// LoadRedFlags compiles the section "redflags" of rule data.
func LoadRedFlags(set *rules.Set) (*RedFlags, error) {
	var c struct {
		Macros map[string]string `yaml:"macros"`
		Flags  []Entry           `yaml:"flags"`
	}
	if err := set.Decode("redflags", &c); err != nil {
		return nil, fmt.Errorf("load red flags: %w", err)
	}
	p, err := CompilePhrases(pattern.For(set, "redflags"), "flags", c.Macros, c.Flags)
	if err != nil {
		return nil, fmt.Errorf("load red flags: %w", err)
	}
	return &RedFlags{phrases: p, entries: c.Flags}, nil
}

// Entries returns the catalogue in its order.
func (r *RedFlags) Entries() []Entry { return r.entries }

// Find returns the red flags in a PLAN segment's text, one per entry and
// sentence, in order of place. Offset and Length count bytes of the original
// text; Segment, Turn and Thinking are left to the caller.
func (r *RedFlags) Find(d *Document) []sessionevents.RedFlagHit {
	type place struct {
		id       string
		sentence int
	}
	seen := map[place]bool{}
	var out []sessionevents.RedFlagHit
	for _, m := range r.phrases.Find(d) {
		sentence := d.SentenceAt(m.Span.From)
		if key := (place{m.ID, sentence.From}); seen[key] {
			continue
		} else {
			seen[key] = true
		}
		offset, length := d.SourceSpan(m.Span)
		out = append(out, sessionevents.RedFlagHit{
			ID: m.ID, Offset: offset, Length: length, Sentence: d.Text[sentence.From:sentence.To],
		})
	}
	return out
}
