package duplicatebuild

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turn is one turn under evaluation, with what every kind of repetition asks: whether code is being
// moved, what a repetition costs, whether it was searched for. Each kind embeds it.
type turn struct {
	*instance
	*detect.Pass
	memory *memory
}

// judgesFragments reports whether a segment is an applied edit of code that is not a
// test, an example or generated.
func (d *instance) judgesFragments(s *sessionevents.Segment) bool {
	return detect.Applied(s) && s.Path != "" && syntax.Reads(s.Language) &&
		!d.measure.ConventionalFile(s.Path) && !d.measure.Script(s.Path, detect.Text(s))
}

// moves reports whether the plan of this turn or of a recent one, or the last request,
// says that code is being moved.
func (t *turn) moves() bool {
	if m := t.State.(*memory); m.Moving > 0 && t.Turn.Turn-m.Moving <= t.MovingTurns {
		return true
	}
	requests := t.Baseline().Requests
	return len(requests) > 0 && t.Moving.MatchString(requests[len(requests)-1].Text)
}

// noteMoving records when a plan last said so.
func (t *turn) noteMoving() {
	for i := range t.Turn.Segments {
		if s := &t.Turn.Segments[i]; s.Kind == sessionevents.SegmentPlan && t.Moving.MatchString(s.Text) {
			t.memory.Moving = t.Turn.Turn
			return
		}
	}
}

// score returns a finding with cost, probability and floor for repeating old.
func (t *turn) score(old *duplicate.Candidate, kind string, segment int) detect.Finding {
	f := detect.Finding{ReworkCost: costCodebase, SelfCorrect: t.config.SelfCorrect.Unsearched}
	switch {
	case old.InSession:
		f.ReworkCost, f.Floor = costInSession, inSessionFloor
	case t.isLayer(&old.Symbol, kind):
		f.ReworkCost = costArchitecture
	}
	switch {
	case t.fromScratch():
		f.SelfCorrect = t.config.SelfCorrect.FromScratch
	case t.searched(old, segment):
		f.SelfCorrect = t.config.SelfCorrect.Searched
	}
	return f
}

// isLayer reports whether a symbol is part of the established architecture: a type called
// service, repository, client …, or the wrapper of a convention.
func (t *turn) isLayer(old *sessionevents.Symbol, kind string) bool {
	for _, c := range t.Before.Conventions {
		if c.Wrapper != "" && c.Wrapper == old.Name {
			return true
		}
	}
	name := old.Name
	switch {
	case old.Kind == "file" || kind == "file":
		name = stem(old.Path)
	case kind == "function" || kind == "method":
		return false
	}
	words := similarity.Words(name)
	return len(words) > 0 && t.layers[similarity.Normal(words[len(words)-1])]
}

// named reports whether the user asked for a thing of exactly this name (SW-42).
func (t *turn) named(s *sessionevents.Symbol) bool {
	b := t.Baseline()
	name := s.Name
	if s.Kind == "file" {
		i := slices.IndexFunc(b.Paths, func(asked string) bool { return registry.SameFile(asked, s.Path) })
		if i < 0 {
			return false
		}
		name = b.Paths[i]
	} else if !slices.Contains(b.Identifiers, name) {
		return false
	}
	return slices.ContainsFunc(b.Requests, func(r registry.Request) bool { return t.asksFor(r.Text, name) }) || t.asksFor(b.Task, name)
}

// asksFor reports whether a sentence of the text asks for something by this name.
func (c *config) asksFor(text, name string) bool {
	for _, sentence := range prose.Sentences(text) {
		if code.Holds(sentence.Text, name) && c.Asks.MatchString(sentence.Text) {
			return true
		}
	}
	return false
}

// searched reports whether, before building, the primary read the file that contains the
// earlier thing or searched for its name, and still has the result in context.
func (t *turn) searched(old *duplicate.Candidate, segment int) bool {
	if t.Additions.Compacted {
		return false
	}
	here := func(turn, at int) bool { return turn < t.Turn.Turn && !t.Before.CompactedSince(turn-1) || at < segment }
	for _, r := range t.Before.Reads(old.Symbol.Path) {
		if here(r.Turn, segment) {
			return true
		}
	}
	for _, r := range t.Additions.FilesRead {
		if r.Item.Path == old.Symbol.Path && r.Segment < segment {
			return true
		}
	}
	name := old.Symbol.Name
	if old.Symbol.Kind == "file" {
		name = stem(name)
	}
	for _, f := range t.Before.FetchedAll() {
		if here(f.Turn, segment) && t.looksFor(&f, name) {
			return true
		}
	}
	return slices.ContainsFunc(t.Additions.Fetched, func(f registry.SegmentItem[registry.Fetched]) bool {
		return f.Segment < segment && t.looksFor(&f.Item, name)
	})
}

// looksFor reports whether the query contains enough of the name's words.
func (c *config) looksFor(f *registry.Fetched, name string) bool {
	said := map[string]bool{}
	for _, w := range similarity.Words(f.Query) {
		said[similarity.Normal(w)] = true
	}
	words := similarity.Words(name)
	n := 0
	for _, w := range words {
		if said[similarity.Normal(w)] {
			n++
		}
	}
	return n > 0 && float64(n) >= c.SearchShare*float64(len(words))
}

// fromScratch reports whether the plan of this turn or a recent one announces a build from scratch (RF02).
func (t *turn) fromScratch() bool {
	for _, f := range t.Additions.RedFlags {
		if f.ID == "RF02" {
			return true
		}
	}
	for _, f := range t.Before.RedFlags("RF02") {
		if t.Turn.Turn-f.Turn <= t.ScratchTurns {
			return true
		}
	}
	return false
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
		if slices.ContainsFunc(words[at:], func(w string) bool {
			return strings.Contains(w, ".") && registry.SameFile(w, file)
		}) {
			return true
		}
	}
	return false
}

// goneBy is mayBeGone for a path after a turn, given the session's writes.
func goneBy(p *detect.Pass, writes []registry.FileWritten, file string, last int) bool {
	for i := range writes {
		w := &writes[i]
		if (w.Turn > last || w.Elsewhere && w.Turn == last) && registry.SameFile(w.Path, file) &&
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

// standsIn reports whether the file contained a symbol of the same name.
func standsIn(p *detect.Pass, name, file string) bool {
	there := func(b registry.Built) bool { return b.Gone == 0 && b.Symbol.Path == file }
	return slices.ContainsFunc(p.Before.BuiltNamed(name), there) || slices.ContainsFunc(p.Before.Known(name), there)
}

func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }
