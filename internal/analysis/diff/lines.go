package diff

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// maxCompared bounds what the line diff looks at, in bytes of both sides: its
// cost grows with lines × changes.
const maxCompared = 256 << 10

// WholeFile is one hunk that adds every line of content from line 1.
func WholeFile(content string) []events.Hunk {
	if content == "" {
		return nil
	}
	return []events.Hunk{{NewStart: 1, Lines: marked('+', content)}}
}

// Replaced compares old with new text whose place in the file is not known. It
// gives one hunk with all common lines as context, or none when both are equal.
func Replaced(before, after string) []events.Hunk {
	lines := replacedLines(before, after)
	if len(lines) == 0 {
		return nil
	}
	return []events.Hunk{{Lines: lines}}
}

func replacedLines(before, after string) []string {
	switch {
	case before == after:
		return nil
	case before == "":
		return marked('+', after)
	case after == "":
		return marked('-', before)
	case len(before)+len(after) > maxCompared:
		return append(marked('-', before), marked('+', after)...)
	}
	before, after = withNewline(before), withNewline(after)
	context := strings.Count(before, "\n")
	compared, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), context)
	if err != nil {
		return append(marked('-', before), marked('+', after)...)
	}
	var out []string
	for _, h := range compared.Hunks {
		for _, l := range h.Lines {
			out = append(out, mark(l.Kind)+strings.TrimRight(l.Content, "\r\n"))
		}
	}
	return out
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

func withNewline(s string) string {
	if strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// marked splits text into lines, each with its mark in front.
func marked(mark byte, text string) []string {
	text = strings.TrimSuffix(text, "\n")
	out := make([]string, 0, strings.Count(text, "\n")+1)
	for {
		line, rest, more := strings.Cut(text, "\n")
		out = append(out, string(mark)+strings.TrimSuffix(line, "\r"))
		if !more {
			return out
		}
		text = rest
	}
}
