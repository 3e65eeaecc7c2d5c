package duplicatebuild

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// repeat is a new symbol or file and the earlier one that it repeats.
type repeat struct {
	segment int
	symbol  sessionevents.Symbol // a file has its path as name and kind "file"
	old     duplicate.Candidate
	score   float64
	// logOnly is the reason why the repeat is only logged; "" if it may fire.
	logOnly string
	thing   string // subclass
}

// symbols returns the new symbols of this turn that overlap with an earlier one.
func (d *instance) symbols(p *detect.Pass) []repeat {
	var out []repeat
	for i := range p.Additions.Built {
		b := &p.Additions.Built[i]
		s := &b.Item.Symbol
		short := d.measure.OneWord(s.Name)
		if d.measure.ConventionalFile(s.Path) || d.measure.ConventionalName(s.Name) && !short || rewritten(p, s) {
			continue
		}
		for _, c := range d.measure.Candidates(p, s) {
			if short && !(c.Overlap.Body.Known && c.Overlap.Sample >= leastSample && c.Overlap.Score >= d.Substantial) {
				continue
			}
			if r, ok := d.repeats(p, b, c); ok {
				out = append(out, r)
				break
			}
		}
	}
	return out
}

// rewritten reports whether the file contained a symbol of that name before, so that this
// edits it or restores a removed one.
func rewritten(p *detect.Pass, s *sessionevents.Symbol) bool {
	here := func(b registry.Built) bool {
		return b.Symbol.Name == s.Name && duplicate.SameFile(b.Symbol.Path, s.Path)
	}
	return slices.ContainsFunc(p.Before.BuiltNamed(s.Name), here) || slices.ContainsFunc(p.Before.Known(s.Name), here)
}

// repeats judges one candidate; it returns false if two things exist in parallel for a
// good reason.
func (d *instance) repeats(p *detect.Pass, b *registry.SegmentItem[registry.Built], c duplicate.Candidate) (repeat, bool) {
	if d.apart(&b.Item.Symbol, &c) || leaves(p, &c.Symbol) || variants(&p.Turn.Segments[b.Segment], &b.Item.Symbol, &c.Symbol) {
		return repeat{}, false
	}
	logOnly := d.logOnly(p, &p.Turn.Segments[b.Segment], &b.Item.Symbol, &c)
	if c.Overlap.Score < d.Substantial && logOnly != "" && d.version(b.Item.Symbol.Name, c.Symbol.Name) {
		return repeat{}, false
	}
	return repeat{segment: b.Segment, symbol: b.Item.Symbol, old: c, score: c.Overlap.Score, thing: "symbol", logOnly: logOnly}, true
}

// version reports whether the new name is the earlier one with a version's word before or after it.
// A3 judges partial overlaps; a signal that is only logged would silence it (SW-41a).
func (d *instance) version(name, old string) bool {
	words, base := similarity.Words(name), similarity.Words(old)
	n := len(words)
	if n != len(base)+1 {
		return false
	}
	return slices.Equal(words[:n-1], base) && slices.Contains(d.Versions, words[n-1]) ||
		slices.Equal(words[1:], base) && slices.Contains(d.Versions, words[0])
}

// grouped groups the repeats of one file in another, best first, in order of appearance.
func grouped(list []repeat) [][]repeat {
	var out [][]repeat
	for _, r := range list {
		at := slices.IndexFunc(out, func(g []repeat) bool {
			return g[0].symbol.Path == r.symbol.Path && g[0].old.Symbol.Path == r.old.Symbol.Path && g[0].old.Session == r.old.Session
		})
		if at < 0 {
			out = append(out, []repeat{r})
			continue
		}
		out[at] = append(out[at], r)
	}
	for _, g := range out {
		slices.SortStableFunc(g, func(a, b repeat) int { return rank(b) - rank(a) })
	}
	return out
}

// rank orders repeats that may fire first, then by score.
func rank(r repeat) int {
	n := int(r.score * 1000)
	if r.logOnly == "" {
		n += 10_000
	}
	return n
}
