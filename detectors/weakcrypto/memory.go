package weakcrypto

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// memory is B3's state of a session: the weak lines it has reported, so that rewriting a
// file does not report them again. It is bounded by the rule data.
type memory struct {
	// Seen are "line/function/number", oldest first: 8 hex digits each for file and line,
	// and for the enclosing function, "-" if the edit does not show it, and the number
	// among equal lines.
	Seen []string `json:"s,omitempty"`
}

// seen is one weak line of a file.
type seen struct {
	line, function string
	number         int
}

func (k seen) String() string { return k.line + "/" + k.function + "/" + strconv.Itoa(k.number) }

// covers reports whether a remembered line may be this one.
func (k seen) covers(text string) bool {
	parts := strings.Split(text, "/")
	if len(parts) != 3 || parts[0] != k.line {
		return false
	}
	number, err := strconv.Atoi(parts[2])
	return err == nil && number == k.number && (parts[1] == k.function || parts[1] == "-" || k.function == "-")
}

// knows reports whether an earlier edit contained the line.
func (m *memory) knows(k seen) bool { return slices.ContainsFunc(m.Seen, k.covers) }

// add adds lines and drops the oldest beyond the limit.
func (m *memory) add(list []seen, limit int) {
	for _, k := range list {
		if !m.knows(k) {
			m.Seen = append(m.Seen, k.String())
		}
	}
	if extra := len(m.Seen) - limit; extra > 0 {
		m.Seen = slices.Delete(m.Seen, 0, extra)
	}
}

// seenAt identifies a weak line within its function.
func seenAt(file, line, function string) seen {
	if function == "" {
		return seen{keyOf(file, line), "-", 1}
	}
	return seen{keyOf(file, line), keyOfSqueezed("", function), 1}
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
	m.Seen = slices.DeleteFunc(m.Seen, func(key string) bool { return gone[strings.SplitN(key, "/", 2)[0]] })
}
