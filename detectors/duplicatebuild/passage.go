package duplicatebuild

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// passage is the result of a hunk in one place, with which later edits are compared.
type passage struct {
	Path string   `json:"p"`
	From int      `json:"f,omitempty"` // first and last line in the new file, 0 if unknown
	To   int      `json:"t,omitempty"`
	Turn int      `json:"n"`
	Keys []uint32 `json:"k"` // of its statements, in order
	// Own are the keys of the statements that this session wrote; the others were there
	// before.
	Own []uint32 `json:"o,omitempty"`
}

// hunks returns the statements of each hunk's new side.
func (d *instance) hunks(s *sessionevents.Segment) [][]statement {
	var out [][]statement
	offset := 0
	for _, h := range s.Diff.Hunks {
		var list []statement
		number := h.NewStart
		for _, line := range h.Lines {
			if line == "" {
				line = " "
			}
			if line[0] == '-' {
				continue
			}
			if st, ok := d.readStatement(line[1:]); ok {
				if st.added, st.at = line[0] == '+', -1; st.added {
					st.at = offset
				}
				if h.NewStart > 0 {
					st.line = number
				}
				list = append(list, st)
			}
			if number++; line[0] == '+' {
				offset += len(line)
			}
		}
		out = append(out, list)
	}
	return out
}

// forget drops what an edit removes, and everything in a file that is replaced.
func (d *instance) forget(m *memory, file string, s *sessionevents.Segment) {
	if s.Diff.Op != sessionevents.DiffUpdate {
		m.Passages = slices.DeleteFunc(m.Passages, func(o passage) bool { return o.Path == file })
		return
	}
	removed := map[uint32]bool{}
	for _, line := range s.Diff.Removed() {
		if st, ok := d.readStatement(line.Text); ok {
			removed[st.key] = true
		}
	}
	for i := range m.Passages {
		if o := &m.Passages[i]; o.Path == file && len(removed) > 0 {
			o.Keys = slices.DeleteFunc(slices.Clone(o.Keys), func(k uint32) bool { return removed[k] })
		}
	}
	m.Passages = slices.DeleteFunc(m.Passages, func(o passage) bool { return len(o.Keys) == 0 })
}

// forgetMoved drops the passages of files that were moved, or written without showing the
// content.
func (d *instance) forgetMoved(p *detect.Pass, m *memory) {
	if len(m.Passages) == 0 {
		return
	}
	writes := p.Before.FilesWritten()
	m.Passages = slices.DeleteFunc(m.Passages, func(o passage) bool { return goneBy(p, writes, o.Path, o.Turn) })
}

// keep records the place of a hunk.
func (m *memory) keep(file string, turn int, list []statement, limit, statements int) {
	if len(list) < 2 {
		return
	}
	o := passage{Path: file, Turn: turn, From: list[0].line, To: list[len(list)-1].line}
	for _, s := range list[:min(len(list), statements)] {
		o.Keys = append(o.Keys, s.key)
		if s.added {
			o.Own = append(o.Own, s.key)
		}
	}
	m.Passages = append(m.Passages, o)
	if extra := len(m.Passages) - limit; extra > 0 {
		m.Passages = slices.Clone(m.Passages[extra:])
	}
}

func keysOf(list []statement) []uint32 {
	keys := make([]uint32, len(list))
	for i := range list {
		keys[i] = list[i].key
	}
	return keys
}

// samePlace reports whether a passage is where the hunk is now.
func (o *passage) samePlace(file string, list []statement) bool {
	if o.Path != file || len(list) == 0 {
		return false
	}
	from, to := list[0].line, list[len(list)-1].line
	return from > 0 && o.From > 0 && from <= o.To && o.From <= to
}

// longestRun returns the longest run of the hunk's statements that occurs in the same
// order, without gaps, in the other place.
func (d *instance) longestRun(list []statement, keys []uint32) []statement {
	best, end := 0, 0
	both := make([]int, 2*(len(keys)+1))
	before, now := both[:len(keys)+1], both[len(keys)+1:]
	for i := range list {
		for k, key := range keys {
			now[k+1] = 0
			if list[i].key == key && !list[i].head {
				if now[k+1] = before[k] + 1; now[k+1] > best {
					best, end = now[k+1], i+1
				}
			}
		}
		before, now = now, before
	}
	return list[end-best : end]
}

// cost returns the cost of statements that another place also contains: it depends on
// whether most were there before the session or were written by it.
func (o *passage) cost(run []statement) int {
	before := 0
	for i := range run {
		if !slices.Contains(o.Own, run[i].key) {
			before++
		}
	}
	if before*2 > len(run) {
		return costCodebase
	}
	return costInSession
}
