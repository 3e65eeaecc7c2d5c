package rebuild

import (
	"fmt"
	"path"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// named returns the symbols that DIFFs create although they were built earlier in this
// session and still exist.
func (d *instance) named(t *turn) []again {
	var out []again
	for i := range t.edits {
		e := &t.edits[i]
		for j := range e.segment.Symbols {
			s := &e.segment.Symbols[j]
			if d.like.ConventionalName(s.Name) || t.gone[s.Name] || len(s.Shingles) < d.BodyShingles {
				continue
			}
			if a := d.builtBefore(t, e, s); a != nil {
				out = append(out, *a)
			}
		}
	}
	return out
}

// builtBefore compares a new symbol with earlier ones of its name.
func (d *instance) builtBefore(t *turn, e *edit, s *sessionevents.Symbol) *again {
	for _, earlier := range t.Before.BuiltNamed(s.Name) {
		old := &earlier.Symbol
		if old.Name != s.Name || old.Kind != s.Kind || old.Language != s.Language || earlier.Gone > 0 || d.skips(old.Path) || t.unseen(earlier.Last) {
			continue
		}
		shared := d.like.Compare(s, old)
		overlaps := shared.Body.Value >= d.Overlap && shared.Sample >= d.Sample
		if old.Path == e.path {
			if overlaps && e.secondDefinition(s, old) {
				return d.secondDefinition(e, s, &earlier)
			}
			continue
		}
		if s.Kind == "method" || d.batch(t, e.path, old.Path, earlier.Turn) || shared.Body.Value < d.OtherPurpose {
			continue // the class is reported; siblings; another purpose
		}
		a := d.elsewhere(e, s, &earlier, overlaps)
		a.otherInterface = !overlaps && shared.Signature.Known && shared.Signature.Value < d.SameInterface
		return a
	}
	return nil
}

// secondDefinition reports whether the edit adds a definition to a file that already has one.
// Overloads and methods of unknown classes do not count.
func (e *edit) secondDefinition(s, old *sessionevents.Symbol) bool {
	known := s.Kind != "method" || s.Container != ""
	return !e.whole && known && s.Container == old.Container && s.Signature == old.Signature
}

// batch reports whether two files are written as one piece of work: siblings within a few
// turns, or variants for platforms.
func (d *data) batch(t *turn, now, before string, turn int) bool {
	return kin(now, before) && t.Turn.Turn-turn <= d.BatchTurns || d.parallel(now, before)
}

// parallel reports whether two files are variants of one for platforms or versions.
func (d *data) parallel(now, before string) bool {
	return d.like.Parallel(now, before) || d.twin(now) == d.twin(before)
}

// twin returns a path without the mark of its platform or variant.
func (d *data) twin(file string) string { return d.Twins.ReplaceAllString(file, "$1") }

func (d *instance) secondDefinition(e *edit, s *sessionevents.Symbol, earlier *registry.Built) *again {
	a := d.symbol(e, s, earlier, costByOverlap, d.Confidence.Overlap)
	a.message = fmt.Sprintf("%s defines %s a second time; the one of turn %d still stands. Keep one of them and drop the other.",
		quote.Path(e.path), quote.Name(s.Name), earlier.Turn)
	a.reason = fmt.Sprintf("The edit adds %s to %s, where turn %d built it with much the same body.", quote.Name(s.Name), quote.Path(e.path), earlier.Turn)
	return a
}

func (d *instance) elsewhere(e *edit, s *sessionevents.Symbol, earlier *registry.Built, overlaps bool) *again {
	cost, confidence, how := costByName, d.Confidence.Named, "the same name"
	if overlaps {
		cost, confidence, how = costByOverlap, d.Confidence.Overlap, "much the same body"
	}
	a := d.symbol(e, s, earlier, cost, confidence)
	a.message = fmt.Sprintf("%s in %s was already built in turn %d (%s); import or move that one instead of building it again.",
		quote.Name(s.Name), quote.Path(e.path), earlier.Turn, quote.Path(earlier.Symbol.Path))
	a.reason = fmt.Sprintf("The edit creates %s in %s with %s as the one that turn %d built in %s.", quote.Name(s.Name), quote.Path(e.path), how, earlier.Turn, quote.Path(earlier.Symbol.Path))
	return a
}

func (d *instance) symbol(e *edit, s *sessionevents.Symbol, earlier *registry.Built, cost int, confidence float64) *again {
	return &again{
		subject: s.Name, subclass: "named", cost: cost, confidence: confidence,
		names:    []string{s.Name, path.Base(e.path)},
		evidence: at(e.segment, s.Name),
		earlier:  sessionevents.EarlierEvent{Turn: earlier.Turn, Path: earlier.Symbol.Path, Line: earlier.Symbol.Line, What: earlier.Symbol.Name},
	}
}

// at returns evidence for the first line that contains a name, otherwise for the whole
// segment.
func at(s *sessionevents.Segment, name string) sessionevents.Evidence {
	offset := 0
	for _, line := range s.Diff.Added() {
		if word(line.Text, name) {
			return detect.At(s, offset, len(line.Text))
		}
		offset += len(line.Text) + 1
	}
	return detect.At(s, 0, len(detect.Text(s)))
}
