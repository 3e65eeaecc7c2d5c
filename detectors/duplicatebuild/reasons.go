package duplicatebuild

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

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
func (d *instance) apart(s *sessionevents.Symbol, c *duplicate.Candidate) bool {
	old, o := &c.Symbol, &c.Overlap
	switch {
	case !o.SameKind, o.Score < d.Partial && !sameName(o), duplicate.SameFile(old.Path, s.Path):
		return true
	case (s.Local || old.Local || methods(s, old)) && !copied(o):
		return true
	}
	parallel := d.measure.Parallel
	if c.InSession && o.Sample >= leastSample && o.Copy >= wholeCopy {
		parallel = d.measure.Variants // the bodies are the same, so a shared file name in two directories does not excuse them
	}
	return d.measure.ConventionalFile(old.Path) || parallel(s.Path, old.Path) || d.measure.Scratch(old.Path)
}

// beingMoved is why a copy may soon be removed.
const beingMoved = "code is being moved"

// runByHand is why importing from the other file is not an option.
const runByHand = "a script that is run by hand"

// logOnly returns the reason why a repeat is only logged; "" if it may fire.
func (d *instance) logOnly(p *detect.Pass, segment *sessionevents.Segment, s *sessionevents.Symbol, c *duplicate.Candidate) string {
	old, o := &c.Symbol, &c.Overlap
	switch {
	case uses(segment, old) || s.Name != old.Name && mentions(detect.Text(segment), old.Name):
		return "it uses the other, or its file"
	case o.Score < d.Substantial && (o.OtherPurpose || sameName(o)):
		return "the same name for another purpose"
	case o.Score < d.Substantial:
		return "a partial overlap"
	case d.measure.Script(s.Path, detect.Text(segment)) || d.measure.Script(old.Path, ""):
		return runByHand
	case d.measure.OtherPackage(s.Path, old.Path):
		return "they belong to different packages"
	case d.measure.Private(old, s.Path):
		return "the other is private to its file"
	case tooSmall(segment, s, c):
		return "too small to matter"
	case methods(s, old):
		return "methods of two classes"
	case (o.Copy >= copyOf || !o.Body.Known) && d.moves(p):
		return beingMoved
	case mayBeGone(p, c):
		return "the other's file was written since in a way that does not show what it holds"
	}
	return ""
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
		if trimmed == "" || isComment(trimmed) {
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

// leaves reports whether the turn also removes or changes the earlier one.
func leaves(p *detect.Pass, old *sessionevents.Symbol) bool {
	same := func(i registry.SegmentItem[registry.Built]) bool {
		s := &i.Item.Symbol
		return s.Path == old.Path && (s.Name == "" || s.Name == old.Name)
	}
	return slices.ContainsFunc(p.Additions.Removed, same) || slices.ContainsFunc(p.Additions.Edited, same) || movedAway(p, old.Path)
}

// movedAway reports whether the turn writes a file without an edit of it, as mv does, or
// makes Git remove or move it.
func movedAway(p *detect.Pass, file string) bool {
	if slices.ContainsFunc(p.Turn.Segments, func(s sessionevents.Segment) bool { return gitTakes(&s, file) }) {
		return true
	}
	return slices.ContainsFunc(p.Additions.FilesWritten, func(w registry.SegmentItem[registry.FileWritten]) bool {
		return w.Item.Path == file && !slices.ContainsFunc(p.Additions.Diffs, func(d registry.SegmentItem[registry.DiffRecord]) bool {
			return d.Item.Path == file
		})
	})
}

// gitTakes reports whether a successful command made Git remove or move the file.
func gitTakes(s *sessionevents.Segment, file string) bool {
	if s.Tool == nil || s.Rejected || s.Result != nil && s.Result.IsError {
		return false
	}
	for command := range strings.FieldsFuncSeq(s.Tool.Command, func(r rune) bool { return strings.ContainsRune(";&|\n", r) }) {
		words := strings.Fields(command)
		at := slices.Index(words, "git")
		if at < 0 || !slices.Contains(words, "rm") && !slices.Contains(words, "mv") || slices.Contains(words, "--cached") {
			continue
		}
		if slices.ContainsFunc(words[at:], func(w string) bool { return strings.Contains(w, ".") && duplicate.SameFile(w, file) }) {
			return true
		}
	}
	return false
}

// mayBeGone reports whether the earlier one's file was moved, or written without an edit
// that shows its current content.
func mayBeGone(p *detect.Pass, c *duplicate.Candidate) bool {
	if c.Session != "" {
		return false
	}
	return goneBy(p, p.Before.FilesWritten(), c.Symbol.Path, c.Last)
}

// goneBy is mayBeGone for a path after a turn, given the session's writes.
func goneBy(p *detect.Pass, writes []registry.FileWritten, file string, last int) bool {
	for i := range writes {
		w := &writes[i]
		if (w.Turn > last || w.Elsewhere && w.Turn == last) && duplicate.SameFile(w.Path, file) &&
			!slices.ContainsFunc(p.Before.DiffsOf(file), func(d registry.DiffRecord) bool { return d.Turn == w.Turn }) {
			return true
		}
	}
	return false
}

// uses reports whether the new code imports the file of the old one.
func uses(segment *sessionevents.Segment, old *sessionevents.Symbol) bool {
	stem := strings.TrimSuffix(path.Base(old.Path), path.Ext(old.Path))
	return slices.ContainsFunc(segment.Imports, func(module string) bool {
		module = strings.TrimSuffix(module, path.Ext(old.Path))
		last := module[strings.LastIndexAny(module, "/.:\\")+1:]
		return last == stem || last == path.Base(path.Dir(old.Path))
	})
}

// mentions reports whether text contains name as a word.
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

// moves reports whether the plan of this turn or of a recent one, or the last request,
// says that code is being moved.
func (d *instance) moves(p *detect.Pass) bool {
	if m := p.State.(*memory); m.Moving > 0 && p.Turn.Turn-m.Moving <= d.MovingTurns {
		return true
	}
	requests := p.Baseline().Requests
	return len(requests) > 0 && d.Moving.MatchString(requests[len(requests)-1].Text)
}

// noteMoving records when a plan last said so.
func (d *instance) noteMoving(p *detect.Pass, m *memory) {
	for i := range p.Turn.Segments {
		if s := &p.Turn.Segments[i]; s.Kind == sessionevents.SegmentPlan && d.Moving.MatchString(s.Text) {
			m.Moving = p.Turn.Turn
			return
		}
	}
}
