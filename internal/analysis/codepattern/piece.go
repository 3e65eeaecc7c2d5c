package codepattern

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// Limits of what is parsed.
const (
	wholeBytes = 1500 // a hunk up to this size is parsed as it is
	pieceBytes = 6000
	linesAbove = 60 // of a place outside functions
	linesBelow = 12
)

// piece is a part of a hunk that is parsed.
type piece struct {
	start, end    int // bytes in the hunk's code
	before, after string
	function      string
	places        []int // the offsets of triggers in it
}

func masked(language, code string) string {
	if text := syntax.Read(language, code).Masked(); text != "" {
		return text
	}
	return code
}

// pieces are the functions, or the lines, around offsets of code, in order,
// without overlap.
func (r *ruleset) pieces(code string, declared []syntax.Declaration, offsets []int) []piece {
	if len(code) <= wholeBytes {
		return []piece{{start: 0, end: len(code), before: r.opening(code), places: offsets}}
	}
	var out []piece
	for _, at := range offsets {
		if n := len(out); n > 0 && at < out[n-1].end {
			out[n-1].places = append(out[n-1].places, at)
			continue
		}
		p := r.around(code, declared, at)
		if n := len(out); n > 0 {
			p.start = max(p.start, out[n-1].end)
		}
		if p.end > p.start {
			p.before += r.opening(code[p.start:p.end])
			p.places = []int{at}
			out = append(out, p)
		}
	}
	return out
}

// around is the outermost function that holds an offset, or the lines about it.
func (r *ruleset) around(code string, declared []syntax.Declaration, at int) piece {
	for _, d := range declared {
		if d.Start > at || d.End <= at {
			continue
		}
		p := piece{start: r.withDecorators(code, lineStart(code, d.Start)), end: d.End, function: d.Name}
		if d.Kind == "method" {
			p.before, p.after = d.Before, d.After
		}
		if p.end-p.start <= pieceBytes {
			return p
		}
		return clip(code, p, at)
	}
	return clip(code, piece{start: 0, end: len(code)}, at)
}

// clip narrows a piece to the lines about an offset.
func clip(code string, p piece, at int) piece {
	start := lineStart(code, at)
	for range linesAbove {
		if start <= p.start || at-start > pieceBytes*3/4 {
			break
		}
		start = lineStart(code, start-1)
	}
	end := at
	for range linesBelow {
		i := strings.IndexByte(code[end:p.end], '\n')
		if i < 0 || end-at > pieceBytes/4 {
			break
		}
		end += i + 1
	}
	if i := strings.IndexByte(code[end:p.end], '\n'); i >= 0 && end == at {
		end += i
	} else if i < 0 {
		end = p.end
	}
	p.start, p.end = max(start, p.start), min(end, p.end)
	return p
}

func lineStart(code string, at int) int {
	return strings.LastIndexByte(code[:max(0, min(at, len(code)))], '\n') + 1
}

// withDecorators moves up over the decorators above a function.
func (r *ruleset) withDecorators(code string, start int) int {
	for start > 0 {
		above := lineStart(code, start-1)
		if !strings.HasPrefix(strings.TrimSpace(code[above:start]), "@") {
			break
		}
		start = above
	}
	return start
}

// opening is what makes a piece that begins indented a whole for a language of
// indentation: a block for every depth that it comes back to.
func (r *ruleset) opening(code string) string {
	if !r.config.Indented {
		return ""
	}
	lowest, levels := 1<<20, []int(nil)
	for _, line := range strings.Split(code, "\n") {
		text := strings.TrimLeft(line, " \t")
		if text == "" || text[0] == '#' {
			continue
		}
		if width := len(line) - len(text); width < lowest {
			lowest, levels = width, append(levels, width)
		}
		if lowest == 0 {
			break
		}
	}
	var b strings.Builder
	depth := 0
	for i := len(levels) - 1; i >= 0; i-- {
		if levels[i] == 0 {
			continue
		}
		b.WriteString(strings.Repeat(" ", depth) + "if 1:\n")
		depth = levels[i]
	}
	return b.String()
}

// Limits of what is read of one segment. They count bytes and steps, never time, so that a replay reads
// the same.
const (
	maxParsed = 512 << 10 // bytes that are parsed
	maxWork   = 2_000_000 // steps over all pieces
)

// budget is what is left for a segment, and how many places were not looked at.
type budget struct{ bytes, steps, unread int }

// allows reports whether a piece of so many bytes may be read, and takes them.
func (b *budget) allows(bytes int) bool {
	if b.steps <= 0 || b.bytes < bytes {
		return false
	}
	b.bytes -= bytes
	return true
}

// spend takes the steps of an analysis. The places of a piece that needs more than one piece may are
// not looked at to the end.
func (b *budget) spend(a *analysis, p *piece) {
	b.steps -= a.steps
	if a.steps > maxSteps {
		b.unread += len(p.places)
	}
	b.unread += a.dropped
}
