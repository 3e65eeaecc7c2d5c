package injection

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// memory is B2's state of a session. It is bounded by the rule data.
type memory struct {
	// Known are places already reported, the oldest first.
	Known []string `json:"k,omitempty"`
	// FlagTurn is the last turn whose plan contained RF08, 0 for none.
	FlagTurn int `json:"f,omitempty"`
}

// known identifies a place: its file and first line of code, the rule, the enclosing
// function and the number among equal lines there. It is written
// "line/rule/function/number"; function is "-" if the edit does not show it.
type known struct {
	line, rule, function string
	number               int
}

func keyOf(path string, m *codepattern.Match) known {
	function := "-"
	if m.Function != "" {
		function = short36(m.Function)
	}
	return known{line: lineKey(path, firstLine(m.Statement)), rule: short36(m.Rule.ID), function: function, number: 1}
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

func (k known) String() string {
	return k.line + "/" + k.rule + "/" + k.function + "/" + strconv.Itoa(k.number)
}

// covers reports whether a remembered place may be this one: an edit that shows less of
// the file lacks the function's name.
func (k known) covers(text string) bool {
	parts := strings.Split(text, "/")
	if len(parts) != 4 || parts[0] != k.line || parts[1] != k.rule {
		return false
	}
	number, err := strconv.Atoi(parts[3])
	return err == nil && number == k.number && (parts[2] == k.function || parts[2] == "-" || k.function == "-")
}

// knows reports whether an earlier edit contained the place.
func (m *memory) knows(k known) bool { return slices.ContainsFunc(m.Known, k.covers) }

// remember adds places and drops the oldest beyond the limit.
func (m *memory) remember(list []known, limit int) {
	for _, k := range list {
		if !m.knows(k) {
			m.Known = append(m.Known, k.String())
		}
	}
	if extra := len(m.Known) - limit; extra > 0 {
		m.Known = slices.Delete(m.Known, 0, extra)
	}
}

// forgetRemoved drops the places whose line an edit removes without adding it again: if
// it is added later, it is new.
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
			key := lineKey(s.Path, line) + "/"
			m.Known = slices.DeleteFunc(m.Known, func(k string) bool { return strings.HasPrefix(k, key) })
		}
	}
}
