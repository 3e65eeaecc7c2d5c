package patterncontradiction

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
)

// givesReason reports whether a sentence names one of the things and gives a reason.
func (t *turn) givesReason(names []string) func(registry.Sentence) bool {
	return func(s registry.Sentence) bool {
		lower := strings.ToLower(s.Text)
		named := slices.ContainsFunc(names, func(name string) bool { return name != "" && strings.Contains(lower, strings.ToLower(name)) })
		return named && t.Reasons.MatchString(s.Text)
	}
}
