package weakcrypto

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// memory is what B3 keeps of a session: the weak lines it has spoken of, so
// that writing a file once more is nothing new. It is bounded by the rule data.
type memory struct {
	Seen []string `json:"s,omitempty"` // 8 hex digits each, oldest first
}

// add keeps a line; false if it was there already.
func (m *memory) add(key string, limit int) bool {
	if slices.Contains(m.Seen, key) {
		return false
	}
	m.Seen = append(m.Seen, key)
	if extra := len(m.Seen) - limit; extra > 0 {
		m.Seen = slices.Delete(m.Seen, 0, extra)
	}
	return true
}

// keyOf identifies a line of a file. Only the file's name counts, because a
// path may be given from the workspace or from the root.
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

// forgetGone drops the lines that a segment's file loses and does not get back in
// the same segment: written again later they are new.
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
	m.Seen = slices.DeleteFunc(m.Seen, func(key string) bool { return gone[key] })
}
