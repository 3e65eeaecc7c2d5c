package featurecreep

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// telling reports whether a line names something and is not a comment.
func telling(line string) bool {
	line = strings.TrimSpace(line)
	comment := slices.ContainsFunc([]string{"//", "#", "/*", "*", "--", "<!--", "\"\"\""}, func(mark string) bool { return strings.HasPrefix(line, mark) })
	return !comment && named.MatchString(line)
}

// named matches what distinguishes a line of code or prose from others.
var named = pattern.Must(`\pL[\pL\pN_]{2,}`)

// verb returns what an edit did to its file.
func verb(s *sessionevents.Segment) string {
	switch {
	case s.Diff.Failed:
		return "tries to edit "
	case s.Diff.Op == sessionevents.DiffCreate:
		return "writes "
	}
	return "edits "
}

// excerptWords is the number of words up to which a message quotes a question in full.
const excerptWords = 12
