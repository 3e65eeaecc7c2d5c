package weakenedcheck

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// edit is one file's edit under reading.
type edit struct {
	*turn
	segment        *sessionevents.Segment
	file, language string
	class          string
	before, after  string // the lines of both sides, with those around
	removed, added []sessionevents.Line
}

// sides are the texts of a DIFF before and after, with the lines around.
func sides(d *sessionevents.Diff) (before, after string) {
	var b, a strings.Builder
	for _, h := range d.Hunks {
		for _, l := range h.Lines {
			switch {
			case l == "" || l[0] == ' ':
				text := strings.TrimPrefix(l, " ")
				b.WriteString(text + "\n")
				a.WriteString(text + "\n")
			case l[0] == '-':
				b.WriteString(l[1:] + "\n")
			case l[0] == '+':
				a.WriteString(l[1:] + "\n")
			}
		}
	}
	return b.String(), a.String()
}

func firstText(lines []sessionevents.Line) string {
	for _, l := range lines {
		if text := strings.TrimSpace(l.Text); text != "" {
			return text
		}
	}
	return ""
}

// kept reports whether a line was there before.
func kept(removed []sessionevents.Line, text string) bool {
	trimmed := strings.TrimSpace(text)
	return trimmed == "" || slices.ContainsFunc(removed, func(r sessionevents.Line) bool { return strings.TrimSpace(r.Text) == trimmed })
}

// place is where a text begins in a DIFF's added lines, or nothing.
func place(s *sessionevents.Segment, text string) (offset, long int) {
	first, _, _ := strings.Cut(text, " {")
	for _, l := range s.Diff.Added() {
		if trimmed := strings.TrimSpace(l.Text); trimmed != "" && (strings.Contains(trimmed, first) || strings.HasPrefix(text, trimmed)) && text != "" {
			return offset + strings.Index(l.Text, trimmed), len(trimmed)
		}
		offset += len(l.Text) + 1
	}
	return 0, 0
}

// existed reports whether a file that is written whole was there before: it was read, or
// a check named it.
func (e *edit) existed() bool {
	if e.segment.Diff.Op != sessionevents.DiffCreate || len(e.Before.Reads(e.file)) > 0 {
		return e.segment.Diff.Op == sessionevents.DiffCreate
	}
	base := e.file[strings.LastIndexByte(e.file, '/')+1:]
	return slices.ContainsFunc(e.memory.Failures, func(f failure) bool { return strings.Contains(f.Text, base) })
}

// inAdded reports whether the first line of a text is among the added ones.
func (e *edit) inAdded(text string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return slices.ContainsFunc(e.added, func(l sessionevents.Line) bool { return strings.Contains(l.Text, strings.TrimSpace(first)) })
}

// maskedLines are the added lines without comments and strings, nil where the language
// is not known.
func (e *edit) maskedLines() []string {
	if e.class == continuous || e.class == settings || !syntax.Reads(e.language) {
		return nil
	}
	lines := make([]string, len(e.added))
	for i, l := range e.added {
		lines[i] = l.Text
	}
	out := strings.Split(e.Pass.Reader.Read(e.language, strings.Join(lines, "\n")).Code(), "\n")
	if len(out) != len(lines) {
		return nil
	}
	return out
}

// testAround is the test to which an added line belongs: the next head below a mark that
// is above one, else the last above.
func (e *edit) testAround(text string) string {
	at := strings.Index(e.after, text)
	if at < 0 {
		return ""
	}
	r := e.read(e.language, e.after)
	line := strings.Count(e.after[:at], "\n")
	trimmed := strings.TrimSpace(text)
	above := strings.HasPrefix(trimmed, "@") || strings.HasPrefix(trimmed, "#[") || strings.HasPrefix(trimmed, "[")
	name := ""
	for _, test := range r.Tests {
		if test.Line > line {
			if above && test.Line-line <= 4 {
				return test.Name
			}
			break
		}
		name = test.Name
	}
	return name
}

// fresh reports whether an edit writes a new test: its head is added and was not there.
func (e *edit) fresh(name string) bool {
	for _, b := range e.read(e.language, e.before).Tests {
		if b.Name == name {
			return false
		}
	}
	if f := e.memory.file(e.file); f != nil && !f.Own && slices.Contains(f.Tests, name) && !slices.Contains(f.OwnTests, name) {
		return e.segment.Diff.Op != sessionevents.DiffCreate
	}
	return !e.existed()
}

// onCondition reports whether a skip depends on what the machine has: a call under a
// condition or in a helper, a mark that takes one.
func (e *edit) onCondition(line int) bool {
	text := e.added[line].Text
	if e.Condition.MatchString(text) {
		return true
	}
	above, _, _ := strings.Cut(e.after, text+"\n")
	above = strings.TrimRight(above, " \t\n")
	above = strings.TrimSpace(above[strings.LastIndexByte(above, '\n')+1:])
	return e.Condition.MatchString(above)
}

// ofCheck reports whether a shell's way to hide a result belongs to a check: the line,
// or the one that goes on in it, runs one.
func (e *edit) ofCheck(line int, text string) bool {
	command := e.added[line].Text
	switch {
	case strings.TrimSpace(text) == "exit 0":
		above, _, _ := strings.Cut(e.after, command+"\n")
		above = strings.TrimRight(above, " \t\n")
		return e.Checks.MatchString(above[strings.LastIndexByte(above, '\n')+1:])
	case !strings.ContainsAny(text, "|;&") && !strings.HasPrefix(text, "\t-"):
		return true
	}
	for i := line - 1; i >= 0 && strings.HasSuffix(strings.TrimSpace(e.added[i].Text), "\\"); i-- {
		command = e.added[i].Text + command
	}
	return e.Checks.MatchString(command)
}

// cutComment is a line's code and its comment.
func cutComment(line string) (code, comment string, found bool) {
	for _, mark := range []string{"#", "//"} {
		if code, comment, found = strings.Cut(line, mark); found {
			return code, comment, true
		}
	}
	return line, "", false
}
