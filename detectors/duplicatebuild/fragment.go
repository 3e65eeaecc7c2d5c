package duplicatebuild

import (
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// fragments returns findings for statements that an edit adds although another place of
// the session has them.
func (d *instance) fragments(p *detect.Pass, m *memory, repeats []repeat) []detect.Finding {
	var out []detect.Finding
	d.forgetMoved(p, m)
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if !d.judgesFragments(s) {
			continue
		}
		file := p.Before.Path(s.Path)
		d.forget(m, file, s)
		for _, hunk := range d.hunks(s) {
			if f, ok := d.pasted(p, m, s, file, hunk); ok && !slices.Contains(m.Pasted, f.Subject) && !isKnown(repeats, file, f.Evidence[0].ConflictsWith.Path) {
				m.Pasted = bounded(m.Pasted, f.Subject, d.Fragments.Kept)
				out = append(out, f)
			}
			m.keep(file, p.Turn.Turn, hunk, d.Fragments.Kept, d.Fragments.Statements)
		}
	}
	return out
}

// isKnown reports whether repetitions between two files are already reported as symbols.
func isKnown(repeats []repeat, file, old string) bool {
	return slices.ContainsFunc(repeats, func(r repeat) bool { return r.symbol.Path == file && r.old.Symbol.Path == old })
}

// judgesFragments reports whether a segment is an applied edit of code that is not a
// test, an example or generated.
func (d *instance) judgesFragments(s *sessionevents.Segment) bool {
	return s.Kind == sessionevents.SegmentDiff && s.Diff != nil && !s.Diff.Failed && !s.Proposed && !s.Rejected && s.Path != "" &&
		syntax.Reads(s.Language) && !d.measure.ConventionalFile(s.Path) && !d.measure.Script(s.Path, detect.Text(s))
}

// pasted returns a finding for the best place that contains what a hunk adds.
func (d *instance) pasted(p *detect.Pass, m *memory, s *sessionevents.Segment, file string, list []statement) (detect.Finding, bool) {
	var best []statement
	var from *passage
	for i := range m.Passages {
		o := &m.Passages[i]
		if o.samePlace(file, list) || d.measure.Parallel(file, o.Path) {
			continue
		}
		if run := d.longestRun(list, o.Keys); len(run) > len(best) && d.distinctive(run) {
			best, from = run, o
		}
	}
	if within := d.repeatedWithin(list); len(within) > len(best) {
		best, from = within, &passage{Path: file, Turn: p.Turn.Turn, Own: keysOf(within)}
	}
	if from == nil {
		return detect.Finding{}, false
	}
	return d.fragmentFinding(p, s, file, best, from), true
}

// repeatedWithin returns a run of statements that two functions of one hunk share.
func (d *instance) repeatedWithin(list []statement) []statement {
	for at := range list {
		if !list[at].head || at < d.Fragments.Least || len(list)-at <= d.Fragments.Least {
			continue
		}
		var keys []uint32
		for i := range list[:at] {
			keys = append(keys, list[i].key)
		}
		if run := d.longestRun(list[at:], keys); len(run) >= d.Fragments.Least && d.distinctive(run) {
			return run
		}
	}
	return nil
}

func (d *instance) fragmentFinding(p *detect.Pass, s *sessionevents.Segment, file string, run []statement, from *passage) detect.Finding {
	first, last := run[0], run[0]
	for i := range run {
		if run[i].added && (!first.added || run[i].at < first.at) {
			first = run[i]
		}
		if run[i].added {
			last = run[i]
		}
	}
	telling, n := mostTelling(run)
	f := detect.Finding{
		Subclass: "fragment", Subject: "fragment " + strconv.Quote(shorten(telling.text, 48)) + " in " + path.Base(file), Confidence: d.Confidence.Fragment,
		ReworkCost: from.cost(run), SelfCorrect: d.config.SelfCorrect.Unsearched, Floor: inSessionFloor,
	}
	e := detect.At(s, max(first.at, 0), max(last.at, first.at, 0)-max(first.at, 0)+len(last.text))
	e.ConflictsWith = &sessionevents.EarlierEvent{Turn: from.Turn, Path: from.Path, Line: from.From, What: shorten(telling.text, 80)}
	f.Evidence = []sessionevents.Evidence{e}
	if d.moves(p) {
		f.Floor, f.Cap = 0, detect.LogOnly
	}
	place := from.Path
	if from.From > 0 {
		place += ":" + strconv.Itoa(from.From)
	}
	if from.Path == file && from.From == 0 {
		place = "the same file"
	}
	f.Message = fmt.Sprintf("%d statements%s are added to %s though %s has them (turn %d). Put them into one function that both call.",
		n, with(telling.text), fileAt(file, first.line), place, from.Turn)
	f.Reason = fmt.Sprintf("%d statements in a row are the same in both places.", n)
	return f
}
