package featurecreep

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// telling: a line that names something, and is not a comment.
func telling(line string) bool {
	line = strings.TrimSpace(line)
	comment := slices.ContainsFunc([]string{"//", "#", "/*", "*", "--", "<!--", "\"\"\""}, func(mark string) bool { return strings.HasPrefix(line, mark) })
	return !comment && named.MatchString(line)
}

// named is what a line of code or prose needs to tell it from others.
var named = pattern.Must(`\pL[\pL\pN_]{2,}`)

// verb says what an edit did to its file.
func verb(s *sessionevents.Segment) string {
	switch {
	case s.Diff.Failed:
		return "tries to edit "
	case s.Diff.Op == sessionevents.DiffCreate:
		return "writes "
	}
	return "edits "
}

// excerptWords are the words of a question that a message quotes whole.
const excerptWords = 12
