package circular

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// result holds the hashed stems of a call's result.
type result struct {
	Turn  int      `json:"n"`
	Hash  string   `json:"h"`
	Terms []uint32 `json:"t,omitempty"`
}

// found records the result of a search, a read or another call: it is news for the
// questions whose terms it shares, unless the same result was there before.
func (d *instance) found(m *memory, p *detect.Pass, s *sessionevents.Segment) {
	if s.Result == nil || s.Rejected || s.Result.Bytes == 0 || len(m.Questions) == 0 && len(m.Findings) == 0 && m.Planned == 0 {
		return
	}
	if slices.ContainsFunc(m.Results, func(r result) bool { return r.Hash == s.Result.Hash }) {
		return
	}
	text := brought(s)
	now := result{Turn: p.Turn.Turn, Hash: s.Result.Hash, Terms: hashed(prose.FirstTerms(text, maxResultTerms))}
	m.Results = detect.Newest(append(m.Results, now), d.ResultsKept)
	lower := strings.ToLower(text)
	m.inform(func(q *question) bool { return !q.Informed && d.shares(lower, q.Terms, q.Names) })
	m.informFindings(func(f *cause) bool { return d.shares(lower, f.Terms, f.Names) })
}

// brought returns the text of a call and the stored part of its result.
func brought(s *sessionevents.Segment) string {
	var text strings.Builder
	text.WriteString(s.Tool.Command)
	for _, a := range s.Accesses {
		text.WriteString(" " + a.Target + " " + a.Query)
	}
	text.WriteString(" " + s.Result.Head + " " + s.Result.Tail)
	for i := range s.Symbols {
		text.WriteString(" " + s.Symbols[i].Name)
	}
	return text.String()
}

// shares reports whether a text in lower case contains a name, or more than half of the
// words that are not too general.
func (d *instance) shares(lower string, terms, names []string) bool {
	if slices.ContainsFunc(names, func(n string) bool { return strings.Contains(lower, n) }) {
		return true
	}
	own, held := 0, 0
	for _, w := range terms {
		if d.general[w] {
			continue
		}
		own++
		if strings.Contains(lower, w) {
			held++
		}
	}
	return 2*held > own
}

// learnt reports whether a result since a turn shares at least two of the words.
func (m *memory) learnt(since int, terms []string) bool {
	wanted := hashed(terms)
	return slices.ContainsFunc(m.Results, func(r result) bool {
		common := 0
		for _, w := range r.Terms {
			if slices.Contains(wanted, w) {
				common++
			}
		}
		return r.Turn >= since && common >= min(2, len(wanted))
	})
}

// maxResultTerms bounds the words stored of a result.
const maxResultTerms = 64

// hashed returns words as 32-bit FNV-1a hashes.
func hashed(terms []string) []uint32 {
	out := make([]uint32, 0, min(len(terms), maxResultTerms))
	for _, w := range terms[:min(len(terms), maxResultTerms)] {
		h := uint32(2166136261)
		for i := range len(w) {
			h = (h ^ uint32(w[i])) * 16777619
		}
		out = append(out, h)
	}
	return out
}

// acts reports whether a turn acts on its plan by editing, testing or running something.
// Such a turn does not go in circles.
func acts(p *detect.Pass) bool {
	return p.Additions.Effect || slices.ContainsFunc(p.Turn.Segments, func(s sessionevents.Segment) bool {
		return s.Kind == sessionevents.SegmentDiff && !s.Proposed && !s.Rejected
	})
}
