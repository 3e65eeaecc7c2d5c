package duplicate

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Part is one measure, 0–1, and whether both sides were known.
type Part struct {
	Value float64
	Known bool
}

// Overlap measures how far a new symbol repeats an earlier one (A1, A3).
type Overlap struct {
	// Name compares the words of the names, with synonyms (similarity.Names).
	Name float64
	// SameKind: both are callable, or both are types, or one is not known.
	SameKind bool
	// Signature compares parameters: their number, names and types.
	Signature Part
	// Calls is the Jaccard similarity of the names that the bodies call.
	Calls Part
	// Body is the share of the new body's shingles that the earlier one holds,
	// Copy their Jaccard similarity; Sample is how many shingles both rest on.
	Body   Part
	Copy   float64
	Sample int
	// SameContainer: both are in classes of the same name, or outside of classes.
	SameContainer bool
	// OtherPurpose: bodies or call sets that have next to nothing in common.
	OtherPurpose bool
	// Score combines them, 0–1: the weighted mean of the known measures (name
	// 0.45, body 0.25, signature and calls 0.15 each), lowered for another kind
	// or container, raised to that of a copy when the bodies are alike, limited
	// where the purpose differs or only the names are known.
	Score float64
}

// Compare measures how far new repeats old.
func (m *Measure) Compare(new, old *sessionevents.Symbol) Overlap {
	return m.compare(new, old, similarity.Names(new.Name, old.Name))
}

func (m *Measure) compare(new, old *sessionevents.Symbol, name float64) Overlap {
	o := Overlap{
		Name: name, SameKind: new.Kind == "" || old.Kind == "" || kindOf(new) == kindOf(old),
		SameContainer: new.Container == old.Container || similarity.Key(new.Container) == similarity.Key(old.Container),
		Signature:     m.signatures(new, old),
	}
	if k := min(len(new.Calls), len(old.Calls)); k > 0 {
		calls := similarity.Compare(new.Calls, old.Calls, sketchSize(new.Calls, old.Calls))
		o.Calls = Part{calls.Jaccard, true}
	}
	if len(new.Shingles) > 0 && len(old.Shingles) > 0 {
		body := similarity.Compare(new.Shingles, old.Shingles, sketchSize(new.Shingles, old.Shingles))
		o.Body, o.Copy, o.Sample = Part{body.Contained, body.Sample > 0}, body.Jaccard, body.Sample
	}
	o.OtherPurpose = m.otherPurpose(&o, new, old)
	o.Score = m.score(&o, new, old)
	return o
}

// sketchSize is the size that two sketches are read as: of one that is shorter
// than the other it is not known whether it holds its whole set, unless it is
// shorter than any sketch that is cut.
func sketchSize(a, b []uint32) int { return max(min(len(a), len(b)), smallestSketch) }

// smallestSketch is the smallest k that sketches are kept with.
const smallestSketch = 8

// sameName is the similarity of names that differ only in spelling.
const sameName = 0.99

// otherPurpose: the same name for another thing (A1).
func (m *Measure) otherPurpose(o *Overlap, new, old *sessionevents.Symbol) bool {
	p := &m.Purpose
	if o.Body.Known && o.Sample >= p.Sample && o.Copy < p.Body && (!o.Calls.Known || o.Calls.Value < 0.5) {
		return true
	}
	return o.Calls.Known && min(len(new.Calls), len(old.Calls)) >= p.LeastCalls && o.Calls.Value < p.Calls
}

func (m *Measure) score(o *Overlap, new, old *sessionevents.Symbol) float64 {
	w := &m.Weights
	sum, weight := w.Name*o.Name, w.Name
	for _, part := range []struct {
		Part
		weight float64
	}{{o.Signature, w.Signature}, {o.Calls, w.Calls}, {o.Body, w.Body}} {
		if part.Known {
			sum, weight = sum+part.weight*part.Value, weight+part.weight
		}
	}
	score := sum / weight
	switch {
	case !o.SameKind:
		score *= m.OtherKind
	case o.SameContainer:
	case new.Container != "" && old.Container != "":
		score *= m.OtherContainer
	default:
		score *= m.OneContainer
	}
	if !o.Signature.Known && !o.Calls.Known && !o.Body.Known {
		limit := m.NameOnly.Alike
		if o.Name >= sameName {
			limit = m.NameOnly.Same
		}
		score = min(score, limit)
	}
	if o.OtherPurpose {
		score = min(score, m.Purpose.Score)
	}
	if o.SameKind && o.Sample >= m.Copy.Sample && o.Copy >= m.Copy.Similarity {
		score = max(score, m.Copy.Score)
	}
	return score
}

// kindOf puts functions beside methods and classes beside types, but not an
// interface beside what implements it. In TypeScript interfaces and types are one.
func kindOf(s *sessionevents.Symbol) string {
	switch s.Kind {
	case "function", "method":
		return "callable"
	case "interface":
		return "interface"
	case "type":
		if s.Language == "typescript" {
			return "interface"
		}
		return "class"
	}
	return s.Kind
}
