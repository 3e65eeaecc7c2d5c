package weakcrypto

import (
	"path"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// memory is B3's state of a session: the weak lines it has reported, so that rewriting a
// file does not report them again. It is bounded by the rule data.
type memory struct {
	// Seen are "line/function/number", oldest first: 8 hex digits each for file and line,
	// and for the enclosing function, "-" if the edit does not show it, and the number
	// among equal lines.
	Seen detect.Places `json:"s,omitempty"`
}

// seenAt identifies a weak line within its function.
func seenAt(file, line, function string) detect.Place {
	if function == "" {
		return detect.Place{Key: keyOf(file, line), Function: "-"}
	}
	return detect.Place{Key: keyOf(file, line), Function: keyOfSqueezed("", function)}
}

// keyOf identifies a line of a file. Only the file's name counts, because a path may be
// relative to the workspace or to the root.
func keyOf(file, line string) string {
	return keyOfSqueezed(file, squeezed(line))
}

func keyOfSqueezed(file, line string) string {
	sum := xxhash.Sum64String(path.Base(file) + "\x00" + line)
	return strconv.FormatUint(sum>>32|1<<32, 16)[1:]
}

// squeezed returns a line without white space, so that moving or reindenting does not change it.
func squeezed(line string) string {
	return strings.Join(strings.Fields(line), "")
}

// forgetGone drops the lines that a segment removes from its file without adding them
// again: if they are added later, they are new.
func (m *memory) forgetGone(s *sessionevents.Segment, removed map[string]bool) {
	if len(m.Seen) == 0 || len(removed) == 0 {
		return
	}
	back := map[string]bool{}
	for _, line := range s.Diff.Added() {
		back[squeezed(line.Text)] = true
	}
	gone := map[string]bool{}
	for line := range removed {
		if !back[line] {
			gone[keyOfSqueezed(s.Path, line)] = true
		}
	}
	m.Seen.Forget(gone)
}
