package transcript

import (
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	maxUnsupported     = 32 // names that a turn carries
	maxUnsupportedName = 60 // in bytes
)

// Unsupported counts a piece that the reader recognises but cannot interpret (IN-1): a
// sessionevents.UnsupportedCall, Result or Record. It belongs to the open turn, or to the next one.
func (s *Session) Unsupported(what, name string) {
	name = what + " " + plain(name)
	if s.a.Stats.Unsupported == nil {
		s.a.Stats.Unsupported = map[string]int{}
	}
	if _, known := s.a.Stats.Unsupported[name]; known || len(s.a.Stats.Unsupported) < maxRemembered {
		s.a.Stats.Unsupported[name]++
	}
	list := &s.next.unsupported
	if s.turn != nil {
		list = &s.turn.unsupported
	}
	if len(*list) < maxUnsupported && !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}

// Unknown counts a piece of a type that the reader does not know. Its name determines whether it counts as
// a call, a result, or something else.
func (s *Session) Unknown(name string) {
	lower := strings.ToLower(name)
	tool := containsAny(lower, "tool", "call", "function", "command", "exec") || strings.HasSuffix(lower, "use")
	switch {
	case tool && containsAny(lower, "result", "response", "output"):
		s.Unsupported(sessionevents.UnsupportedResult, name)
	case tool:
		s.Unsupported(sessionevents.UnsupportedCall, name)
	default:
		s.Unsupported(sessionevents.UnsupportedRecord, name)
	}
}

func containsAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// plain reduces a name to the characters of names, since it is printed and stored.
func plain(name string) string {
	out := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.:/", r) {
			return r
		}
		return -1
	}, name)
	if len(out) > maxUnsupportedName {
		out = out[:maxUnsupportedName]
	}
	if out == "" {
		return "without a name"
	}
	return out
}
