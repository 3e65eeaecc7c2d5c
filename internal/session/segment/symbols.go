package segment

import (
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/manifest"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// declared fills in the symbols and imports of a DIFF from its added lines. A symbol
// whose declaration is also in the removed lines was changed, not built, and is left out
// (SW-10).
func (s *Segmenter) declared(seg *sessionevents.Segment) {
	if s.syntax == nil || seg.Language == "" {
		return
	}
	left := s.config.Limits.SymbolSource
	var removed strings.Builder
	for _, h := range seg.Diff.Hunks {
		for _, run := range addedRuns(h) {
			if left -= len(run.text); left < 0 {
				break
			}
			symbols, imports := s.syntax.Outline(seg.Language, run.text, run.line, s.config.Limits.MadeSketch)
			seg.Symbols, seg.Imports = append(seg.Symbols, symbols...), append(seg.Imports, imports...)
		}
		for _, line := range h.Lines {
			if line != "" && line[0] == '-' && removed.Len() < s.config.Limits.SymbolSource {
				removed.WriteString(line[1:])
				removed.WriteByte('\n')
			}
		}
	}
	if len(seg.Symbols) > 0 && removed.Len() > 0 {
		seg.Symbols = without(seg.Symbols, s.syntax.Symbols(seg.Language, removed.String(), 0, 0))
	}
	s.config.finishSymbols(seg)
}

// run is a series of adjacent added lines; line is the number of the first, 0 if unknown.
type run struct {
	text string
	line int
}

func addedRuns(h sessionevents.Hunk) (out []run) {
	number := h.NewStart
	var text strings.Builder
	start := 0
	end := func() {
		if text.Len() > 0 {
			out = append(out, run{text.String(), start})
			text.Reset()
		}
	}
	for _, line := range h.Lines {
		mark := byte(' ')
		if line != "" {
			mark = line[0]
		}
		if mark == '+' {
			if text.Len() == 0 {
				start = number
			}
			text.WriteString(line[1:])
			text.WriteByte('\n')
		} else if mark == ' ' {
			end()
		}
		if number > 0 && mark != '-' {
			number++
		}
	}
	end()
	return out
}

func without(symbols, gone []sessionevents.Symbol) []sessionevents.Symbol {
	type key struct{ kind, name string }
	before := map[key]bool{}
	for _, s := range gone {
		before[key{s.Kind, s.Name}] = true
	}
	kept := symbols[:0]
	for _, s := range symbols {
		if !before[key{s.Kind, s.Name}] {
			kept = append(kept, s)
		}
	}
	return kept
}

func (cfg *Config) finishSymbols(seg *sessionevents.Segment) {
	limit := cfg.Limits.Symbols
	seg.Symbols = seg.Symbols[:min(len(seg.Symbols), limit):min(len(seg.Symbols), limit)]
	seg.Imports = seg.Imports[:min(len(seg.Imports), limit):min(len(seg.Imports), limit)]
	for i := range seg.Symbols {
		seg.Symbols[i].Path, seg.Symbols[i].Language = seg.Path, seg.Language
	}
	if len(seg.Symbols) == 0 {
		seg.Symbols = nil
	}
}

// learn fills in the symbols and imports of a file that was read, from the result. A
// manifest's imports are the dependencies it declares.
func (s *Segmenter) learn(c *call, seg *sessionevents.Segment) {
	declares := manifest.Of(seg.Path)
	if s.syntax == nil || seg.Language == "" && declares == nil || c.result == nil || !c.outcome.applied() || len(c.result.Output) > s.config.Limits.SymbolSource {
		return
	}
	if len(seg.Accesses) != 1 || seg.Accesses[0].Kind != sessionevents.AccessRead || c.canonical == sessionevents.ToolShell && !c.effects.Is("read") {
		return
	}
	code, line := WithoutNumbers(c.result.Output[c.outcome.body.start:c.outcome.body.end])
	if line == 0 {
		line = max(seg.Accesses[0].From, 0)
		if seg.Accesses[0] == (sessionevents.Access{Kind: sessionevents.AccessRead, Target: seg.Path}) {
			line = 1
		}
	}
	if seg.Language != "" {
		seg.Symbols, seg.Imports = s.syntax.Outline(seg.Language, code, line, s.config.Limits.LearntSketch)
	}
	if declares != nil {
		seg.Imports = append(seg.Imports, declares.Names(code)...)
	}
	s.config.finishSymbols(seg)
}

// WithoutNumbers removes the line numbers that read tools print (" 12→", "12\t", "00012|
// ") and returns the first one; 0 if there are none.
func WithoutNumbers(text string) (code string, first int) {
	if lineNumber(text) == 0 {
		return text, 0
	}
	var out strings.Builder
	out.Grow(len(text))
	for line := range strings.Lines(text) {
		if n := lineNumber(line); n > 0 {
			if first == 0 {
				first, _ = strconv.Atoi(strings.Trim(line[:n], " \t→|:"))
			}
			line = line[n:]
		}
		out.WriteString(line)
	}
	return out.String(), first
}

// lineNumber returns the length of a line number and its separator at the start of line; 0 if the
// line has no number.
func lineNumber(line string) int {
	i := 0
	for i < len(line) && i < 8 && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	digits := i
	for i < len(line) && i-digits < 7 && line[i] >= '0' && line[i] <= '9' {
		i++
	}
	if i == digits {
		return 0
	}
	for _, separator := range [...]string{"→", "\t", "| ", "|", ": "} {
		if strings.HasPrefix(line[i:], separator) {
			return i + len(separator)
		}
	}
	return 0
}
