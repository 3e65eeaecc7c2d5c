package pattern

import "sync"

// Set finds which of many patterns occur in a text, in one pass of RE2; see [Engine]. It is
// compiled when it is first used and safe for concurrent use.
type Set struct {
	texts []string
	once  sync.Once
	set   Finder
	err   error
}

func (s *Set) compile() error {
	s.once.Do(func() { s.set, s.err = long.Set(s.texts) })
	return s.err
}

// Find returns the numbers of the patterns that occur in text, in order. An error
// says that the text needs more memory than RE2 allows: ask each pattern then.
func (s *Set) Find(text string) ([]int, error) {
	if err := s.compile(); err != nil {
		return nil, err
	}
	return s.set.Find(text)
}
