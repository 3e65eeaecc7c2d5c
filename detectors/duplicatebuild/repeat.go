package duplicatebuild

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/likeness"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/registry"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// repeat is a new symbol or file and the earlier one that it repeats.
type repeat struct {
	segment int
	symbol  events.Symbol // a file's has its path as name and kind "file"
	old     likeness.Candidate
	score   float64
	// logOnly says why it stays in the log; "" when it may be heard.
	logOnly string
	thing   string // subclass
}

// symbols are the new symbols of this turn that an earlier one overlaps.
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

// rewritten: the file held a symbol of that name before, so that this is an edit
// of it, or the return of what was removed.
func rewritten(p *detect.Pass, s *events.Symbol) bool {
	here := func(b registry.Built) bool {
		return b.Symbol.Name == s.Name && likeness.SameFile(b.Symbol.Path, s.Path)
	}
	return slices.ContainsFunc(p.Before.BuiltNamed(s.Name), here) || slices.ContainsFunc(p.Before.Known(s.Name), here)
}

// repeats judges one candidate; false where two things stand beside each other
// for a good reason.
func (d *instance) repeats(p *detect.Pass, b *registry.SegmentItem[registry.Built], c likeness.Candidate) (repeat, bool) {
	s, old, o := &b.Item.Symbol, &c.Symbol, &c.Overlap
	if o.Score < d.Partial && !sameName(o) || !o.SameKind || likeness.SameFile(old.Path, s.Path) || d.measure.ConventionalFile(old.Path) || d.measure.Parallel(s.Path, old.Path) || leaves(p, old) {
		return repeat{}, false
	}
	copied := o.Sample >= leastSample && o.Copy >= copyOf
	if (s.Local || old.Local) && !copied {
		return repeat{}, false
	}
	if s.Container != "" && old.Container != "" && !copied { // methods of two classes: an interface, an override
		return repeat{}, false
	}
	r := repeat{segment: b.Segment, symbol: *s, old: c, score: o.Score, thing: "symbol"}
	segment := &p.Turn.Segments[b.Segment]
	if d.measure.Scratch(old.Path) {
		return repeat{}, false
	}
	switch {
	case uses(segment, old) || s.Name != old.Name && mentions(detect.Text(segment), old.Name):
		r.logOnly = "it uses the other, or its file"
	case o.Score < d.Substantial && (o.OtherPurpose || sameName(o)):
		r.logOnly = "the same name for another purpose"
	case o.Score < d.Substantial:
		r.logOnly = "a partial overlap"
	case d.measure.Script(s.Path, detect.Text(segment)) || d.measure.Script(old.Path, ""):
		r.logOnly = "a script that is run by hand"
	case d.measure.OtherPackage(s.Path, old.Path):
		r.logOnly = "they belong to different packages"
	case d.measure.Private(old, s.Path):
		r.logOnly = "the other is private to its file"
	case o.Body.Known && o.Sample < leastSample && !o.Calls.Known:
		r.logOnly = "too small to matter"
	case s.Container != "" && old.Container != "":
		r.logOnly = "methods of two classes"
	case (o.Copy >= copyOf || !o.Body.Known) && d.moves(p):
		r.logOnly = "code is being moved"
	case mayBeGone(p, &c):
		r.logOnly = "the other's file was written since in a way that does not show what it holds"
	}
	return r, true
}

// sameName: the same words, both inside of the same class or of none. With
// another purpose such a pair is of interest, but not to be heard.
func sameName(o *likeness.Overlap) bool { return o.Name >= 0.99 && o.SameContainer }

// A copy is one that so many shingles show.
const (
	leastSample = 8
	copyOf      = 0.6
)

// leaves: the turn also removes or changes the earlier one.
func leaves(p *detect.Pass, old *events.Symbol) bool {
	same := func(i registry.SegmentItem[registry.Built]) bool {
		s := &i.Item.Symbol
		return s.Path == old.Path && (s.Name == "" || s.Name == old.Name)
	}
	return slices.ContainsFunc(p.Additions.Removed, same) || slices.ContainsFunc(p.Additions.Edited, same) || movedAway(p, old.Path)
}

// movedAway: the turn writes a file without an edit of it, as mv does.
func movedAway(p *detect.Pass, file string) bool {
	return slices.ContainsFunc(p.Additions.FilesWritten, func(w registry.SegmentItem[registry.FileWritten]) bool {
		return w.Item.Path == file && !slices.ContainsFunc(p.Additions.Diffs, func(d registry.SegmentItem[registry.DiffRecord]) bool {
			return d.Item.Path == file
		})
	})
}

// mayBeGone: the earlier one's file was moved or written without an edit that
// shows what is in it now.
func mayBeGone(p *detect.Pass, c *likeness.Candidate) bool {
	if c.Session != "" {
		return false
	}
	edits := p.Before.DiffsOf(c.Symbol.Path)
	for _, w := range p.Before.FilesWritten() {
		if w.Turn > c.Last && likeness.SameFile(w.Path, c.Symbol.Path) &&
			!slices.ContainsFunc(edits, func(d registry.DiffRecord) bool { return d.Turn == w.Turn }) {
			return true
		}
	}
	return false
}

// uses: the new code imports the file of the old one.
func uses(segment *events.Segment, old *events.Symbol) bool {
	stem := strings.TrimSuffix(path.Base(old.Path), path.Ext(old.Path))
	return slices.ContainsFunc(segment.Imports, func(module string) bool {
		module = strings.TrimSuffix(module, path.Ext(old.Path))
		last := module[strings.LastIndexAny(module, "/.:\\")+1:]
		return last == stem || last == path.Base(path.Dir(old.Path))
	})
}

// mentions: name stands in text as a word.
func mentions(text, name string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(name)
		if (from == 0 || !inName(text[from-1])) && (to == len(text) || !inName(text[to])) {
			return true
		}
		at = to
	}
}

func inName(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// moves: the plan of this turn or of one just before it, or the last request,
// says that code changes its place.
func (d *instance) moves(p *detect.Pass) bool {
	if m := p.State.(*memory); m.Moving > 0 && p.Turn.Turn-m.Moving <= d.MovingTurns {
		return true
	}
	requests := p.Baseline().Requests
	return len(requests) > 0 && d.moving.MatchString(requests[len(requests)-1].Text)
}

// noteMoving remembers when a plan last said so.
func (d *instance) noteMoving(p *detect.Pass, m *memory) {
	for i := range p.Turn.Segments {
		if s := &p.Turn.Segments[i]; s.Kind == events.SegmentPlan && d.moving.MatchString(s.Text) {
			m.Moving = p.Turn.Turn
			return
		}
	}
}

// grouped puts together what repeats one file in another, best first, in order
// of appearance.
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

// rank: what may be heard first, then the higher score.
func rank(r repeat) int {
	n := int(r.score * 1000)
	if r.logOnly == "" {
		n += 10_000
	}
	return n
}
