package rebuild

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// overlaps finds edits whose lines an earlier one holds.
type overlaps struct{ *data }

// repeated returns the DIFFs whose lines are mostly contained in an earlier one of this
// session, without those in which a symbol was already found.
func (d *overlaps) repeated(t *turn, found []again) []again {
	var out []again
	var earlier []registry.DiffRecord
	for i := range t.edits {
		e := &t.edits[i]
		if e.record.Added < d.MinLines || e.segment.Diff.Truncated > 0 || slices.ContainsFunc(found, func(a again) bool { return a.evidence.Segment == e.segment.Index }) {
			continue
		}
		if earlier == nil {
			earlier = t.Before.Diffs()
		}
		if before, share := d.source(t, e, earlier); before != nil {
			out = append(out, d.overlap(e, before, share))
		}
	}
	return out
}

// source returns the newest earlier DIFF that contains most of the edit, if its effect
// still exists. An edit that several other files share is a pattern, not a rebuild.
func (d *overlaps) source(t *turn, e *edit, earlier []registry.DiffRecord) (*registry.DiffRecord, float64) {
	var best *registry.DiffRecord
	most := 0.0
	others := map[string]bool{}
	for i := range slices.Backward(earlier) {
		before := &earlier[i]
		if !d.alike(t, e, before, e.record.Shingles) {
			continue
		}
		if before.Path != e.path {
			others[before.Path] = true
		}
		if best == nil && d.stands(t, before) {
			if share := d.net(t, e, before); share > 0 {
				best, most = before, share
			}
		}
	}
	if len(others) > 1 {
		return nil, 0
	}
	return best, most
}

// alike reports whether the sketch of the edit is contained in an earlier DIFF, as far as
// the two may be compared.
func (d *overlaps) alike(t *turn, e *edit, before *registry.DiffRecord, sketch []uint32) bool {
	if before.Added < d.MinLines {
		return false
	}
	overlap, sample := d.Overlap, d.Sample
	if before.Path != e.path {
		overlap, sample = d.OtherFile.Overlap, d.OtherFile.Sample
		same := e.record.AddedHash == before.AddedHash
		if path.Ext(before.Path) != path.Ext(e.path) || !same && d.batch(t, e.path, before.Path, before.Turn) || same && d.parallel(e.path, before.Path) {
			return false
		}
	} else if e.whole && (e.record.AddedHash != before.AddedHash || t.editedAfter(before)) {
		return false // rewritten with changes: a revision
	}
	shared := similarity.Compare(sketch, before.Shingles, t.Before.SketchSizes().Diff)
	return shared.Contained > overlap && shared.Sample >= sample
}

// net returns the share of the edit's own substance that an earlier DIFF contains: added
// lines that are not boilerplate and that the turn does not remove elsewhere. It returns
// 0 if the edit has too little substance.
func (d *overlaps) net(t *turn, e *edit, before *registry.DiffRecord) float64 {
	removed := t.removedLines()
	var text strings.Builder
	lines := 0
	for _, line := range e.segment.Diff.Added() {
		trimmed := strings.TrimSpace(line.Text)
		if removed[trimmed] > 0 {
			removed[trimmed]--
			continue
		}
		if !d.Boilerplate.MatchString(line.Text) {
			text.WriteString(trimmed)
			text.WriteByte('\n')
			lines++
		}
	}
	k := t.Before.SketchSizes().Diff
	sketch := similarity.Sketch(text.String(), k)
	if lines < d.MinLines || !d.alike(t, e, before, sketch) {
		return 0
	}
	if e.record.AddedHash == before.AddedHash {
		return 1
	}
	return similarity.Compare(sketch, before.Shingles, k).Contained
}

// removedLines returns how often the turn's DIFFs remove each line.
func (t *turn) removedLines() map[string]int {
	out := map[string]int{}
	for i := range t.Additions.Diffs {
		for _, line := range t.Turn.Segments[t.Additions.Diffs[i].Segment].Diff.Removed() {
			out[strings.TrimSpace(line.Text)]++
		}
	}
	return out
}

// stands reports whether the effect of an earlier DIFF still exists as far as the
// registry shows: its lines were not removed, its file was not removed, and nothing wrote
// it unseen.
func (d *overlaps) stands(t *turn, before *registry.DiffRecord) bool {
	if t.unseen(before.Turn) {
		return false
	}
	removed := 0
	for _, later := range t.Before.DiffsOf(before.Path) {
		if later.Turn < before.Turn {
			continue
		}
		if later.Turn == before.Turn && later.AddedHash == before.AddedHash {
			continue // itself
		}
		if later.RemovedHash != "" && later.RemovedHash == before.AddedHash || later.Added+later.Removed == 0 {
			return false
		}
		removed += later.Removed
	}
	return 2*removed < before.Added && !t.wroteUnseen(before)
}

// wroteUnseen reports whether the file of an earlier DIFF was removed since, or written
// in a turn without an edit of it. A heredoc is both a write and an edit (SW-3).
func (t *turn) wroteUnseen(before *registry.DiffRecord) bool {
	edits := t.Before.DiffsOf(before.Path)
	for _, w := range t.Before.FilesWritten() {
		if w.Path != before.Path || w.Turn < before.Turn {
			continue
		}
		if w.Gone || w.Elsewhere || !slices.ContainsFunc(edits, func(d registry.DiffRecord) bool { return d.Turn == w.Turn }) {
			return true
		}
	}
	return false
}

// editedAfter reports whether the file of an earlier DIFF was edited since.
func (t *turn) editedAfter(before *registry.DiffRecord) bool {
	edits := t.Before.DiffsOf(before.Path)
	return len(edits) > 0 && edits[len(edits)-1].AddedHash != before.AddedHash
}

func (d *overlaps) overlap(e *edit, before *registry.DiffRecord, share float64) again {
	percent := int(math.Round(100 * share))
	a := again{
		subject: subject(e), subclass: "overlap", cost: costByOverlap, confidence: d.Confidence.Overlap,
		names:    called(e),
		evidence: detect.Whole(e.segment),
		earlier:  sessionevents.EarlierEvent{Turn: before.Turn, Path: before.Path, What: fmt.Sprintf("edit of %d lines", before.Added)},
		reason:   fmt.Sprintf("%d%% of the %d lines added to %s are in the edit that turn %d made to %s.", percent, e.record.Added, quote.Path(e.path), before.Turn, quote.Path(before.Path)),
	}
	if before.Path == e.path {
		a.message = fmt.Sprintf("%d%% of the %d lines added to %s repeat turn %d's edit of it, which still stands; keep that one and drop the repeat.",
			percent, e.record.Added, quote.Path(e.path), before.Turn)
	} else {
		a.message = fmt.Sprintf("%d%% of the %d lines added to %s repeat what turn %d wrote to %s; reuse that code instead of writing it again.",
			percent, e.record.Added, quote.Path(e.path), before.Turn, quote.Path(before.Path))
	}
	return a
}

// called returns the names that a person or an error would use for an edit: its file and
// what it creates.
func called(e *edit) []string {
	out := []string{path.Base(e.path)}
	for i := range e.segment.Symbols {
		out = append(out, e.segment.Symbols[i].Name)
	}
	return out
}

// subject returns the single symbol that an edit creates, otherwise its file.
func subject(e *edit) string {
	if len(e.segment.Symbols) == 1 && !e.whole {
		return e.segment.Symbols[0].Name
	}
	return e.path
}

// excuses are the reasons to build a thing again.
type excuses struct{ *data }

// excused reports whether there is a reason to build the thing again: it is revised,
// fixed or moved, or something about it has failed since.
func (d *excuses) excused(m *memory, t *turn, a *again) bool {
	return t.Additions.Errors > 0 || d.failedSince(m, t, a) || d.revised(t, a)
}

// revised reports whether the plan says that the thing is revised or moved, either in
// what the turn says openly or in a thought about the thing.
func (d *excuses) revised(t *turn, a *again) bool {
	for i := range t.Additions.Sentences {
		s := &t.Additions.Sentences[i]
		if s.Thinking && !named(s.Text, a.names) {
			continue
		}
		text := prose.Parse(s.Text).Masked
		if d.Revising.MatchString(text) || d.Moving.MatchString(text) {
			return true
		}
	}
	return false
}

// failedSince reports whether a failure after the earlier build names the thing,
// or a test, build or run failed shortly before.
func (d *excuses) failedSince(m *memory, t *turn, a *again) bool {
	for i := range m.Failures {
		f := &m.Failures[i]
		near := f.Run && t.Turn.Turn-f.Turn <= d.FailureTurns
		if f.Turn >= a.earlier.Turn && (near || named(f.Text, a.names)) {
			return true
		}
	}
	return false
}

// asked reports whether a user message since the earlier build names the thing (SW-42).
func asked(t *turn, a *again) bool {
	for _, r := range t.Baseline().Requests {
		if r.Turn > a.earlier.Turn && named(r.Text, a.names) {
			return true
		}
	}
	return false
}

func named(body string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return word(body, name) })
}

// word reports whether text contains name as a whole word, ignoring case.
func word(body, name string) bool { return text.HasWord(strings.ToLower(body), strings.ToLower(name)) }
