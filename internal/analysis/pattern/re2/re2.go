// Package re2 makes RE2 the engine of patterns for long texts. Import it for that effect
// in programs that segment and evaluate turns. RE2 is megabytes of code, so programs that
// read only short texts, such as the dispatcher, do without: they find the same matches
// with the standard library.
package re2

import (
	"slices"

	"github.com/wasilibs/go-re2"
	"github.com/wasilibs/go-re2/experimental"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

func init() {
	pattern.Use(pattern.Engine{
		Compile: func(text string) (pattern.Expression, error) { return re2.Compile(text) },
		Set: func(texts []string) (pattern.Finder, error) {
			s, err := experimental.CompileSet(texts)
			return &set{s, len(texts)}, err
		},
	})
}

// set finds all its patterns in one pass.
type set struct {
	set  *experimental.Set
	size int
}

// Find fails if the text needs more memory than RE2 allows.
func (s *set) Find(text string) ([]int, error) {
	found, err := s.set.FindAllStringWithError(text, s.size)
	slices.Sort(found)
	return found, err
}
