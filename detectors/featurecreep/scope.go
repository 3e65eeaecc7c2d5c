package featurecreep

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// scope is what was asked for so far, this turn's messages included (SW-14).
type scope struct {
	known bool
	// open says that the request leaves the scope open or keeps it elsewhere.
	open  bool
	terms map[string]bool // stems
}

func (d *instance) scope(m *memory, p *detect.Pass) scope {
	s := scope{terms: map[string]bool{}}
	b := p.Baseline()
	texts := append([]string{b.Task}, b.Constraints...)
	for _, r := range b.Requests {
		texts = append(texts, r.Text)
	}
	for i := range p.Turn.Segments {
		if segment := &p.Turn.Segments[i]; segment.Kind == events.SegmentUser {
			texts = append(texts, segment.Text)
		}
	}
	for _, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue
		}
		s.known = true
		s.open = s.open || d.openScope.MatchString(text)
		for _, term := range prose.Terms(text) {
			s.terms[term] = true
		}
	}
	for term := range b.Terms {
		s.terms[term] = true
	}
	for _, term := range append(append([]string(nil), b.Paths...), b.Identifiers...) {
		for _, word := range prose.Terms(term) {
			s.terms[word] = true
		}
	}
	for _, term := range m.Approved {
		s.terms[term] = true
	}
	return s
}

// asks reports whether the user asked for something of this name: enough of its
// own words stand in what was said.
func (d *instance) asks(s scope, stems []string) bool {
	own := d.own(stems)
	said := 0
	for _, w := range own {
		if s.terms[w] {
			said++
		}
	}
	return said > 0 && float64(said) >= d.AskedShare*float64(len(own))
}

// own leaves the words that name a feature, all of them if none does.
func (d *instance) own(stems []string) []string {
	var own []string
	for _, w := range stems {
		if !d.general[w] {
			own = append(own, w)
		}
	}
	if len(own) == 0 {
		return stems
	}
	return own
}
