package weakenedcheck

import (
	"path"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// step reports a command of a test script that is gone after it failed: what the failing
// run printed names it.
func (t *turn) step(e *edit) {
	if e.language != "shell" {
		return
	}
	base := path.Base(e.file)
	for i := len(t.memory.Failures) - 1; i >= 0; i-- {
		f := &t.memory.Failures[i]
		if !slices.Contains(f.Names, base) {
			continue
		}
		for _, r := range e.removed {
			if line := strings.TrimSpace(r.Text); !kept(e.added, line) && !strings.HasPrefix(line, "#") && blamed(line, e.added, f.Text) {
				t.report(change{kind: "removed", class: e.class, file: e.file, before: line, segment: e.segment})
				return
			}
		}
		return
	}
}

// blamed reports whether a failing run names a path or flag of a command that no added
// line has.
func blamed(line string, added []sessionevents.Line, printed string) bool {
	words := strings.Fields(line)
	if len(words) < 2 || strings.Contains(line, "=") || words[0] == "echo" || words[0] == "printf" {
		return false
	}
	return slices.ContainsFunc(words[1:], func(w string) bool {
		w = strings.Trim(w, `"'/`)
		return len(w) >= 4 && !strings.HasPrefix(w, "-") && strings.Contains(printed, w) && !slices.ContainsFunc(added, func(a sessionevents.Line) bool {
			return !strings.HasPrefix(strings.TrimSpace(a.Text), "#") && strings.Contains(a.Text, words[0]+" ") && strings.Contains(a.Text, w)
		})
	})
}
