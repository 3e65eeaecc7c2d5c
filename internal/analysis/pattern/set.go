package pattern

import (
	"sync"
	"sync/atomic"
)

const (
	// fewPatterns is the number of patterns up to which they are matched one by one; more
	// are matched in a single pass.
	fewPatterns = 3
	// worthCompiling is the number of texts with this many candidates after which all
	// patterns are compiled into one, which costs as much as matching a few of them a
	// thousand times.
	worthCompiling = 1024
)

// Set finds which of many patterns occur in a text. Nothing is compiled before it is
// needed: most texts contain no literal of any pattern. It is safe for concurrent use.
type Set struct {
	patterns []*Regexp

	filtered sync.Once
	filter   *filter
	wanted   atomic.Int64 // texts with more than a few candidates
	compiled sync.Once
	all      Finder
	err      error
}

func newSet(texts []string) *Set {
	s := &Set{patterns: make([]*Regexp, len(texts))}
	for i, text := range texts {
		s.patterns[i] = MustRE2(text)
	}
	return s
}

// Pattern returns the pattern with an index.
func (s *Set) Pattern(i int) *Regexp { return s.patterns[i] }

// Candidates returns the indexes of the patterns that could occur in text, in order.
func (s *Set) Candidates(text string) []int {
	s.filtered.Do(func() {
		all := make([][]clause, len(s.patterns))
		for i, p := range s.patterns {
			all[i] = p.clauses()
		}
		s.filter = newFilter(all)
	})
	return s.filter.candidates(text)
}

// Find returns the indexes of the patterns that occur in text, in order.
func (s *Set) Find(text string) []int {
	candidates := s.Candidates(text)
	if len(candidates) > fewPatterns && s.wanted.Add(1) > worthCompiling {
		if found, err := s.findAll(text); err == nil {
			return found
		} // the text needs more memory than a set may have, or RE2 is not linked
	}
	var out []int
	for _, i := range candidates {
		if s.patterns[i].compiled().MatchString(text) {
			out = append(out, i)
		}
	}
	return out
}

// findAll matches all patterns in one pass. It fails if the engine cannot.
func (s *Set) findAll(text string) ([]int, error) {
	s.compiled.Do(func() {
		texts := make([]string, len(s.patterns))
		for i, p := range s.patterns {
			texts[i] = p.text
		}
		s.all, s.err = long.Set(texts)
	})
	if s.err != nil {
		return nil, s.err
	}
	return s.all.Find(text)
}
