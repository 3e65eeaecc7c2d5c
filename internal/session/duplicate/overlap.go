package duplicate

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Part is one measure, 0–1, and whether it is known for both sides.
type Part struct {
	Value float64
	Known bool
}

// Overlap measures how much a new symbol repeats an earlier one (A1, A3).
type Overlap struct {
	// Name compares the words of the names, with synonyms (similarity.Names).
	Name float64
	// SameKind is set if both are callable, both are types, or one kind is unknown.
	SameKind bool
	// Signature compares the number, names and types of the parameters.
	Signature Part
	// Calls is the Jaccard similarity of the names that the bodies call.
	Calls Part
	// Body is the share of the new body's shingles that the earlier one contains, Copy
	// their Jaccard similarity; Sample is the number of shingles that both are based on.
	Body   Part
	Copy   float64
	Sample int
	// SameContainer is set if both are in classes of the same name, or both outside
	// classes.
	SameContainer bool
	// OtherPurpose is set if the bodies or call sets have almost nothing in common.
	OtherPurpose bool
	// Score combines them, 0–1: the weighted mean of the known measures (name 0.45, body
	// 0.25, signature and calls 0.15 each), lowered for another kind or container, raised
	// to that of a copy if the bodies are similar, limited if the purpose differs or only
	// the names are known.
	Score float64
}

// Compare measures how much new repeats old.
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

// sketchSize returns the size at which two sketches are compared: a sketch shorter than
// the other may or may not hold its whole set, unless it is shorter than any sketch that
// is cut.
func sketchSize(a, b []uint32) int { return max(min(len(a), len(b)), smallestSketch) }

// smallestSketch is the smallest k with which sketches are stored.
const smallestSketch = 8

// sameName is the similarity of names that differ only in spelling.
const sameName = 0.99

// otherPurpose reports whether two symbols share a name but do different things (A1).
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

// kindOf puts functions and methods into one kind, and classes and types into another,
// but keeps an interface separate from its implementations. In TypeScript interfaces and
// types are the same.
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
