package stuckloop

import (
	"strings"
	"unicode"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxQuoted bounds the pieces of code of one segment that are looked at.
const maxQuoted = 8

// called is what a malformed call was to do: what follows its stray characters, else the only command
// that the turn's last words name; "" where it is not certain, or could not be run as it is (JD-40).
func (c call) called() string {
	a := c.a
	if a.segment.Tool != nil && a.segment.Tool.Command != "" {
		rest := strings.TrimLeftFunc(a.segment.Tool.Command, func(r rune) bool { return r == ' ' || !unicode.IsLetter(r) })
		first, _, _ := strings.Cut(rest, " ")
		if c.Programs[first] && !strings.ContainsAny(rest, "\n\"'`;&|") {
			return brief(rest)
		}
		if rest != "" {
			return ""
		}
	}
	for i := len(c.pass.Turn.Segments) - 1; i >= 0; i-- {
		s := &c.pass.Turn.Segments[i]
		if s.Kind != sessionevents.SegmentPlan {
			continue
		}
		named := ""
		for _, code := range c.quotedCommand.FindAllStringSubmatch(s.Text, maxQuoted) {
			if first, _, _ := strings.Cut(code[1], " "); c.Programs[first] && first != code[1] {
				if named != "" {
					return ""
				}
				named = code[1]
			}
		}
		if named != "" {
			return brief(named)
		}
	}
	return ""
}
