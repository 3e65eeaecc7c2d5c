package notice

import (
	"sort"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// fill inserts facts into a pattern; a name without a value becomes "".
func fill(pattern string, facts map[string]string) string {
	names := make([]string, 0, len(facts))
	for name := range facts {
		names = append(names, name)
	}
	sort.Strings(names)
	pairs := make([]string, 0, 2*len(names))
	for _, name := range names {
		pairs = append(pairs, "{"+name+"}", clean(facts[name]))
	}
	return strings.NewReplacer(pairs...).Replace(pattern)
}

// text fills the lines whose names have values.
func (w *Words) text(lines []string, facts map[string]string) string {
	var out []string
	for _, line := range lines {
		if missing(line, facts) {
			continue
		}
		out = append(out, fill(line, facts))
	}
	return w.shorten(strings.Join(out, "\n"))
}

// missing reports whether a line contains a name without a value.
func missing(line string, facts map[string]string) bool {
	for rest := line; ; {
		_, after, begins := strings.Cut(rest, "{")
		name, tail, ends := strings.Cut(after, "}")
		if !begins || !ends {
			return false
		}
		if strings.TrimSpace(facts[name]) == "" {
			return true
		}
		rest = tail
	}
}

// clean returns lines without markup or links: a message is shown in places of all kinds (DP-20).
func clean(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		lines[i] = indent + quote.Line(line)
	}
	return strings.Join(lines, "\n")
}

// quoted formats what somebody wrote, "" for nothing.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return quote.Passage(text)
}

// shorten returns the beginning, at most TextSize bytes.
func (w *Words) shorten(s string) string {
	if len(s) <= w.Limits.TextSize {
		return s
	}
	return text.Cut(s, w.Limits.TextSize-len(text.Mark))
}

// words returns a code in words.
func words(code string) string { return strings.ReplaceAll(code, "_", " ") }

func joined(texts ...string) string {
	var out []string
	for _, t := range texts {
		if t != "" && t != "()" {
			out = append(out, t)
		}
	}
	return strings.Join(out, " ")
}

// choices returns a person's options, one on each line.
func choices(options []runevents.Option, preset string) string {
	lines := make([]string, 0, len(options))
	for _, o := range options {
		line := "  " + o.ID + ": " + o.Text
		if o.ID == preset && preset != "" {
			line += " (default)"
		}
		for _, note := range []string{o.Evidence, o.Effect, o.Tradeoff} {
			if note != "" {
				line += " – " + note
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
