package diff

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxCompared bounds the input of the line diff, in bytes of both sides, since its cost
// grows with lines × changes.
const maxCompared = 256 << 10

// WholeFile returns one hunk that adds every line of content from line 1.
func WholeFile(content string) []sessionevents.Hunk {
	if content == "" {
		return nil
	}
	lines := split(content)
	return []sessionevents.Hunk{{NewStart: 1, Lines: marked(make([]string, 0, len(lines)), "+", lines)}}
}

// Replaced compares old with new text whose position in the file is unknown. It returns
// one hunk with all common lines as context, or none if both are equal.
func Replaced(before, after string) []sessionevents.Hunk {
	lines := replacedLines(before, after)
	if len(lines) == 0 {
		return nil
	}
	return []sessionevents.Hunk{{Lines: lines}}
}

func replacedLines(before, after string) []string {
	if before == after {
		return nil
	}
	old, now := split(before), split(after)
	first := 0
	for first < len(old) && first < len(now) && old[first] == now[first] {
		first++
	}
	last := 0
	for last < len(old)-first && last < len(now)-first && old[len(old)-1-last] == now[len(now)-1-last] {
		last++
	}
	out := make([]string, 0, len(old)+len(now)-first-last)
	out = marked(out, " ", old[:first])
	out = changed(out, old[first:len(old)-last], now[first:len(now)-last])
	return marked(out, " ", old[len(old)-last:])
}

// changed appends the difference of two runs of lines that begin and end differently. Most edits
// have nothing in common there and need no search for the shortest difference.
func changed(out, old, now []string) []string {
	if !haveCommon(old, now) {
		return marked(marked(out, "-", old), "+", now)
	}
	before, after := strings.Join(old, "\n")+"\n", strings.Join(now, "\n")+"\n"
	if len(before)+len(after) > maxCompared {
		return marked(marked(out, "-", old), "+", now)
	}
	compared, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), len(old))
	if err != nil {
		return marked(marked(out, "-", old), "+", now)
	}
	for _, h := range compared.Hunks {
		for _, l := range h.Lines {
			out = append(out, mark(l.Kind)+strings.TrimSuffix(l.Content, "\n"))
		}
	}
	return out
}

func haveCommon(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 {
		return false
	}
	lines := make(map[string]bool, len(a))
	for _, line := range a {
		lines[line] = true
	}
	return slices.ContainsFunc(b, func(line string) bool { return lines[line] })
}

func mark(k udiff.OpKind) string {
	switch k {
	case udiff.Delete:
		return "-"
	case udiff.Insert:
		return "+"
	default:
		return " "
	}
}

// split returns the lines of text without their ends.
func split(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// marked appends lines with a mark in front of each.
func marked(out []string, mark string, lines []string) []string {
	for _, line := range lines {
		out = append(out, mark+line)
	}
	return out
}
