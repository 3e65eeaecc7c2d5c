package injection

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// memory is B2's state of a session. It is bounded by the rule data.
type memory struct {
	// Known are places already reported, the oldest first.
	Known detect.Places `json:"k,omitempty"`
	// FlagTurn is the last turn whose plan contained RF08, 0 for none.
	FlagTurn int `json:"f,omitempty"`
}

// placeOf identifies a match by its file and first line of code, the rule, the enclosing function and
// the number among equal lines there.
func placeOf(path string, m *codepattern.Match) detect.Place {
	k := detect.Place{Key: lineKey(path, firstLine(m.Statement)) + "/" + short36(m.Rule.ID), Function: "-"}
	if m.Function != "" {
		k.Function = short36(m.Function)
	}
	return k
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

func lineKey(path, line string) string {
	return short36(path[strings.LastIndexByte(path, '/')+1:] + "\x00" + strings.TrimSpace(line))
}

func short36(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return strconv.FormatUint(uint64(h.Sum32()), 36)
}

// forgetRemoved drops the places whose line an edit removes without adding it again: if
// it is added later, it is new.
func (m *memory) forgetRemoved(s *sessionevents.Segment) {
	if len(m.Known) == 0 || s.Proposed {
		return
	}
	kept, gone := map[string]bool{}, map[string]bool{}
	for _, l := range s.Diff.Added() {
		kept[strings.TrimSpace(l.Text)] = true
	}
	for _, l := range s.Diff.Removed() {
		if line := strings.TrimSpace(l.Text); line != "" && !kept[line] {
			gone[lineKey(s.Path, line)] = true
		}
	}
	m.Known.Forget(gone)
}
