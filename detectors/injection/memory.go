package injection

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// memory is what B2 keeps of a session. It is bounded by the rule data.
type memory struct {
	// Known are places already reported, the oldest first.
	Known []string `json:"k,omitempty"`
	// FlagTurn is the last turn whose plan held RF08, 0 for none.
	FlagTurn int `json:"f,omitempty"`
}

// keyOf names a place by its file and its first line of code, so that a file that
// is written again does not make it new.
func keyOf(path string, m *codepattern.Match) string { return lineKey(path, firstLine(m.Statement)) }

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

func lineKey(path, line string) string {
	h := fnv.New64a()
	h.Write([]byte(path[strings.LastIndexByte(path, '/')+1:] + "\x00" + strings.TrimSpace(line)))
	return strconv.FormatUint(h.Sum64(), 36)
}

// remember adds a place; false if it was known.
func (m *memory) remember(key string, limit int) bool {
	if slices.Contains(m.Known, key) {
		return false
	}
	m.Known = append(m.Known, key)
	if extra := len(m.Known) - limit; extra > 0 {
		m.Known = slices.Delete(m.Known, 0, extra)
	}
	return true
}

// forgetRemoved drops the places whose line an edit takes out and does not put
// back: written there again later they are new.
func (m *memory) forgetRemoved(s *sessionevents.Segment) {
	if len(m.Known) == 0 || s.Proposed {
		return
	}
	kept := map[string]bool{}
	for _, l := range s.Diff.Added() {
		kept[strings.TrimSpace(l.Text)] = true
	}
	for _, l := range s.Diff.Removed() {
		if line := strings.TrimSpace(l.Text); line != "" && !kept[line] {
			key := lineKey(s.Path, line)
			m.Known = slices.DeleteFunc(m.Known, func(k string) bool { return k == key })
		}
	}
}
