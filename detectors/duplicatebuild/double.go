package duplicatebuild

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// doubles finds symbols, files and constants that are built although they exist.
type doubles struct{ *turn }

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
func (x *doubles) symbols() []repeat {
	var out []repeat
	for i := range x.Additions.Built {
		b := &x.Additions.Built[i]
		s := &b.Item.Symbol
		short := x.measure.OneWord(s.Name)
		if x.measure.ConventionalFile(s.Path) || x.measure.ConventionalName(s.Name) && !short || rewritten(x.Pass, s) {
			continue
		}
		for _, c := range x.measure.Candidates(x.Pass, s) {
			if short && !(c.Overlap.Body.Known && c.Overlap.Sample >= leastSample && c.Overlap.Score >= x.Substantial) {
				continue
			}
			if r, ok := x.repeats(b, c); ok {
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
		return b.Symbol.Name == s.Name && registry.SameFile(b.Symbol.Path, s.Path)
	}
	return slices.ContainsFunc(p.Before.BuiltNamed(s.Name), here) || slices.ContainsFunc(p.Before.Known(s.Name), here)
}

// repeats judges one candidate; it returns false if two things exist in parallel for a
// good reason.
func (x *doubles) repeats(b *registry.SegmentItem[registry.Built], c duplicate.Candidate) (repeat, bool) {
	if x.apart(&b.Item.Symbol, &c) || leaves(x.Pass, &c.Symbol) || variants(&x.Turn.Segments[b.Segment], &b.Item.Symbol, &c.Symbol) {
		return repeat{}, false
	}
	logOnly := x.logOnly(&x.Turn.Segments[b.Segment], &b.Item.Symbol, &c)
	if c.Overlap.Score < x.Substantial && logOnly != "" && x.version(b.Item.Symbol.Name, c.Symbol.Name) {
		return repeat{}, false
	}
	return repeat{segment: b.Segment, symbol: b.Item.Symbol, old: c, score: c.Overlap.Score, thing: "symbol", logOnly: logOnly}, true
}

// version reports whether the new name is the earlier one with a version's word before or after it.
// A3 judges partial overlaps; a signal that is only logged would silence it (SW-41a).
func (c *config) version(name, old string) bool {
	words, base := similarity.Words(name), similarity.Words(old)
	n := len(words)
	if n != len(base)+1 {
		return false
	}
	return slices.Equal(words[:n-1], base) && slices.Contains(c.Versions, words[n-1]) ||
		slices.Equal(words[1:], base) && slices.Contains(c.Versions, words[0])
}

// Thresholds in shingles for a copy.
const (
	leastSample = 8
	copyOf      = 0.6
	wholeCopy   = 0.85
)

// copied reports whether two bodies are mostly the same.
func copied(o *duplicate.Overlap) bool { return o.Sample >= leastSample && o.Copy >= copyOf }

// sameName reports whether both have the same words and the same class, or no class. If
// their purposes differ, such a pair is only logged.
func sameName(o *duplicate.Overlap) bool { return o.Name >= 0.99 && o.SameContainer }

// methods reports whether both are methods, as an interface's implementations or an
// override are.
func methods(s, old *sessionevents.Symbol) bool { return s.Container != "" && old.Container != "" }

// apart reports whether the two are unrelated or parallel by design.
func (x *doubles) apart(s *sessionevents.Symbol, c *duplicate.Candidate) bool {
	old, o := &c.Symbol, &c.Overlap
	switch {
	case !o.SameKind, o.Score < x.Partial && !sameName(o), registry.SameFile(old.Path, s.Path):
		return true
	case (s.Local || old.Local || methods(s, old)) && !copied(o):
		return true
	}
	parallel := x.measure.Parallel
	if c.InSession && o.Sample >= leastSample && o.Copy >= wholeCopy {
		parallel = x.measure.Variants // the bodies are the same, so a shared file name in two directories does not excuse them
	}
	return x.measure.ConventionalFile(old.Path) || parallel(s.Path, old.Path) || x.measure.Scratch(old.Path)
}

// beingMoved is why a copy may soon be removed.
const beingMoved = "code is being moved"

// runByHand is why importing from the other file is not an option.
const runByHand = "a script that is run by hand"

// logOnly returns the reason why a repeat is only logged; "" if it may fire.
func (x *doubles) logOnly(segment *sessionevents.Segment, s *sessionevents.Symbol, c *duplicate.Candidate) string {
	old, o := &c.Symbol, &c.Overlap
	switch {
	case uses(segment, old) || s.Name != old.Name && x.mentions(segment, old.Name):
		return "it uses the other, or its file"
	case o.Score < x.Substantial && (o.OtherPurpose || sameName(o)):
		return "the same name for another purpose"
	case o.Score < x.Substantial:
		return "a partial overlap"
	case x.measure.Script(s.Path, detect.Text(segment)) || x.measure.Script(old.Path, ""):
		return runByHand
	case x.measure.OtherPackage(s.Path, old.Path):
		return "they belong to different packages"
	case x.measure.Private(old, s.Path):
		return "the other is private to its file"
	case tooSmall(segment, s, c):
		return "too small to matter"
	case methods(s, old):
		return "methods of two classes"
	case (o.Copy >= copyOf || !o.Body.Known) && x.moves():
		return beingMoved
	case mayBeGone(x.Pass, c):
		return "the other's file was written since in a way that does not show what it holds"
	}
	return ""
}

// mentions reports whether an edit's code has a name; a comment that has it uses nothing.
func (x *doubles) mentions(segment *sessionevents.Segment, name string) bool {
	text := detect.Text(segment)
	return code.Holds(text, name) && code.Holds(x.Reader.Read(segment.Language, text).Code(), name)
}

// tooSmall reports whether a body is too small: code of this session counts from three
// statements, and for code of the codebase a body of a few words without calls is not
// significant.
func tooSmall(segment *sessionevents.Segment, s *sessionevents.Symbol, c *duplicate.Candidate) bool {
	n, known := statements(segment, s)
	if known && c.InSession && n < leastStatements {
		return true
	}
	o := &c.Overlap
	return o.Body.Known && o.Sample < leastSample && !o.Calls.Known && !(c.InSession && known)
}

// leastStatements is the minimum number of statements of a body that is reported as a
// duplicate rather than only logged.
const leastStatements = 3

// statements returns the number of statements of a new symbol's body, counted as lines;
// false if it is not a function whose lines are visible.
func statements(segment *sessionevents.Segment, s *sessionevents.Symbol) (n int, known bool) {
	if s.Kind != "function" && s.Kind != "method" {
		return 0, false
	}
	text := detect.Text(segment)
	from, to := declaration(segment, text, s)
	if to == 0 {
		return 0, false
	}
	start := strings.LastIndexByte(text[:from], '\n') + 1
	indent, head := from-start, text[from:to]
	if at := strings.IndexAny(head, "{"); at >= 0 && strings.HasSuffix(head, "}") {
		return 1 + strings.Count(strings.TrimRight(head[at+1:len(head)-1], "; "), ";"), true
	}
	rest := text[to:]
	for line := range strings.Lines(strings.TrimPrefix(rest, "\n")) {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed == "{" || isComment(trimmed) {
			continue
		}
		if len(line)-len(strings.TrimLeft(line, " \t")) <= indent {
			break
		}
		if strings.Trim(trimmed, "{}()[];, ") != "" {
			n++
		}
	}
	return n, true
}

// variants reports whether both are in one directory and the new one is built only for
// some platforms.
func variants(segment *sessionevents.Segment, s, old *sessionevents.Symbol) bool {
	text := detect.Text(segment)
	return path.Dir(s.Path) == path.Dir(old.Path) && (strings.Contains(text, "//go:build ") || strings.Contains(text, "// +build "))
}

// mayBeGone reports whether the earlier one's file was moved, or written without an edit
// that shows its current content.
func mayBeGone(p *detect.Pass, c *duplicate.Candidate) bool {
	if c.Session != "" {
		return false
	}
	return goneBy(p, p.Before.FilesWritten(), c.Symbol.Path, c.Last)
}

// createdFiles returns the new files whose name has the same meaning as an existing
// file's; they count like symbols.
func (x *doubles) createdFiles() []repeat {
	var out []repeat
	for i := range x.Turn.Segments {
		s := &x.Turn.Segments[i]
		if !detect.Applied(s) || s.Diff.Op != sessionevents.DiffCreate {
			continue
		}
		file := x.Before.Path(s.Path)
		if x.measure.ConventionalFileName(file) || x.measure.ConventionalFile(file) || held(x.Pass, file) {
			continue
		}
		if r, ok := x.repeatedFile(s, file); ok {
			out = append(out, r)
		}
	}
	return out
}

// held reports whether the session has seen or written the file before.
func held(p *detect.Pass, file string) bool {
	return len(p.Before.Reads(file)) > 0 || len(p.Before.DiffsOf(file)) > 0 || len(p.Before.BuiltIn(file)) > 0
}

// repeatedFile returns the best of the files with that name.
func (x *doubles) repeatedFile(s *sessionevents.Segment, file string) (best repeat, found bool) {
	for _, f := range x.Before.FilesAlike(file) {
		language := syntax.LanguageOf(f.Path)
		if registry.SameFile(f.Path, file) || language == "" || !x.measure.SameFamily(s.Language, language) ||
			x.measure.ConventionalFile(f.Path) || x.measure.Parallel(file, f.Path) {
			continue
		}
		old := sessionevents.Symbol{Name: f.Path, Kind: "file", Path: f.Path, Language: language}
		if leaves(x.Pass, &old) {
			continue
		}
		r := repeat{
			segment: s.Index, thing: "file", symbol: sessionevents.Symbol{Name: file, Kind: "file", Path: file, Language: s.Language},
			old: duplicate.Candidate{Built: registry.Built{Symbol: old, Turn: f.Turn}, InSession: f.Written},
		}
		r.score = x.fileScore(s, &f)
		switch {
		case r.score < x.Substantial:
			r.logOnly = "a partial overlap"
		case x.measure.Script(file, detect.Text(s)) || x.measure.Script(f.Path, ""):
			r.logOnly = runByHand
		case x.measure.OtherPackage(file, f.Path):
			r.logOnly = "they belong to different packages"
		case uses(s, &old):
			r.logOnly = "it uses the other"
		case x.moves():
			r.logOnly = beingMoved
		}
		if r.score >= x.Partial && (!found || r.score > best.score) {
			best, found = r, true
		}
	}
	return best, found
}

// fileScore returns the score of a file from its name and from what both files declare.
func (x *doubles) fileScore(s *sessionevents.Segment, f *registry.File) float64 {
	name := similarity.Names(stem(s.Path), stem(f.Path))
	shared := 0.0
	if len(s.Symbols) > 0 {
		n := 0
		for i := range s.Symbols {
			if standsIn(x.Pass, s.Symbols[i].Name, f.Path) {
				n++
			}
		}
		shared = float64(n) / float64(len(s.Symbols))
	}
	for _, mine := range x.Additions.Diffs {
		for _, theirs := range x.Before.DiffsOf(f.Path) {
			if mine.Segment == s.Index && mine.Item.Added > 0 {
				same := similarity.Compare(mine.Item.Shingles, theirs.Shingles, max(min(len(mine.Item.Shingles), len(theirs.Shingles)), leastSample))
				shared = max(shared, same.Contained)
			}
		}
	}
	if shared == 0 && name == 1 && !x.Before.Outlined(f.Path) {
		return x.File.Unseen
	}
	return x.File.Name*name + x.File.Symbols*shared
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
