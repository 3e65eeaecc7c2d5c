package duplicatebuild

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// copies returns findings for copies that a comment, an ignore mark or the plan announces
// next to added code. Code declared to be a copy is one, even in tests or if it is short.
func (d *instance) copies(p *detect.Pass, m *memory) []detect.Finding {
	var out []detect.Finding
	plan := d.copyPlan(p)
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if s.Kind != sessionevents.SegmentDiff || s.Diff == nil || s.Diff.Failed || s.Proposed || s.Rejected || !syntax.Reads(s.Language) {
			continue
		}
		f, ok := d.markedCopy(p, s)
		if !ok {
			f, ok = d.shownCopy(p, s)
		}
		if !ok && plan != nil {
			f, ok = d.plannedCopy(p, s, plan)
		}
		if ok && !slices.Contains(m.Pasted, f.Subject) {
			m.Pasted = bounded(m.Pasted, f.Subject, d.Fragments.Kept)
			out = append(out, f)
		}
	}
	return out
}

// addedStatements returns the statements that an edit adds.
func (d *instance) addedStatements(s *sessionevents.Segment) []statement {
	var out []statement
	for _, hunk := range d.hunks(s) {
		out = append(out, slices.DeleteFunc(hunk, func(st statement) bool { return !st.added || st.comment })...)
	}
	return out
}

// markedCopy finds a comment or an ignore mark in the added lines that declares them a
// copy.
func (d *instance) markedCopy(p *detect.Pass, s *sessionevents.Segment) (detect.Finding, bool) {
	removed := strings.Builder{}
	for _, line := range s.Diff.Removed() {
		removed.WriteString(line.Text + "\n")
	}
	offset := 0
	for _, line := range s.Diff.Added() {
		text := strings.TrimSpace(line.Text)
		if !d.callsCopy(commentIn(text)) || strings.Contains(removed.String(), text) || len(d.addedStatements(s)) < leastCopied {
			offset += len(line.Text) + 1
			continue
		}
		return d.copyFinding(p, s, detect.At(s, offset, len(line.Text)), line.Number,
			fmt.Sprintf("says %q of what it adds", shorten(strings.Trim(text, "/#* "), 60))), true
	}
	return detect.Finding{}, false
}

// callsCopy reports whether a comment declares the code next to it a copy of something it
// names, or excludes it from duplicate checks.
func (d *instance) callsCopy(comment string) bool {
	if d.Copies.Ignores.MatchString(comment) {
		return true
	}
	at := d.Copies.Marks.FindStringIndex(comment)
	return at != nil && d.Copies.Names.MatchString(comment[at[1]:])
}

// leastCopied is the minimum number of added statements for an announced copy.
const leastCopied = 2

// commentIn returns the comment on a line, "" if it has none.
func commentIn(line string) string {
	if isComment(line) {
		return line
	}
	for _, mark := range []string{" //", " #", " /*"} {
		if at := strings.Index(line, mark); at >= 0 {
			return line[at:]
		}
	}
	return ""
}

// copyPlan returns the segment with a sentence that announces a copy, nil if there is
// none.
func (d *instance) copyPlan(p *detect.Pass) *sessionevents.Segment {
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if s.Kind != sessionevents.SegmentPlan || s.Thinking {
			continue
		}
		for _, sentence := range prose.Sentences(s.Text) {
			if d.Copies.Planned.MatchString(sentence.Text) && !d.Copies.Avoided.MatchString(sentence.Text) && !strings.HasSuffix(sentence.Text, "?") {
				return s
			}
		}
	}
	return nil
}

// plannedCopy returns a finding for the edit that makes a copy announced by the plan.
func (d *instance) plannedCopy(p *detect.Pass, s, plan *sessionevents.Segment) (detect.Finding, bool) {
	added := d.addedStatements(s)
	if s.Index < plan.Index || len(added) < d.Fragments.Least-1 {
		return detect.Finding{}, false
	}
	for _, sentence := range prose.Sentences(plan.Text) {
		if d.Copies.Planned.MatchString(sentence.Text) && !d.Copies.Avoided.MatchString(sentence.Text) {
			f := d.copyFinding(p, s, detect.Whole(s), added[0].line, "is the copy that the plan announces ("+shorten(sentence.Text, 60)+")")
			f.Evidence = append(f.Evidence, detect.At(plan, sentence.Offset, sentence.Length))
			return f, true
		}
	}
	return detect.Finding{}, false
}

// shownCopy finds added statements in code that the turn itself quotes as existing.
func (d *instance) shownCopy(p *detect.Pass, s *sessionevents.Segment) (detect.Finding, bool) {
	if d.measure.ConventionalFile(s.Path) || !d.quotesExisting(p) {
		return detect.Finding{}, false
	}
	added := d.addedStatements(s)
	for i := range p.Turn.Segments[:s.Index] {
		shown := &p.Turn.Segments[i]
		if shown.Kind != sessionevents.SegmentDiff || !shown.Proposed {
			continue
		}
		var keys []uint32
		for _, line := range shown.Diff.Added() {
			if st, ok := d.readStatement("\t" + strings.TrimSpace(line.Text)); ok {
				keys = append(keys, st.key)
			}
		}
		run := d.longestRun(added, keys)
		if len(run) == 0 || len(run) == len(added) && len(keys) == len(run) && !d.distinctive(run) || !d.distinctive(run) {
			continue
		}
		telling := run[0]
		for _, st := range run {
			if st.names > telling.names {
				telling = st
			}
		}
		e := detect.At(s, run[0].at, run[len(run)-1].at-run[0].at+len(run[len(run)-1].text))
		return d.copyFinding(p, s, e, run[0].line, "repeats code that the plan quotes as existing"+with(telling.text)), true
	}
	return detect.Finding{}, false
}

// quotesExisting reports whether the turn mentions code that already exists.
func (d *instance) quotesExisting(p *detect.Pass) bool {
	return slices.ContainsFunc(p.Turn.Segments, func(s sessionevents.Segment) bool {
		return s.Kind == sessionevents.SegmentPlan && d.Copies.Shown.MatchString(s.Text)
	})
}

func (d *instance) copyFinding(p *detect.Pass, s *sessionevents.Segment, e sessionevents.Evidence, line int, what string) detect.Finding {
	file := p.Before.Path(s.Path)
	return detect.Finding{
		Subclass: "copy", Subject: "copy in " + path.Base(file), Confidence: d.Confidence.Copy, ReworkCost: costCodebase,
		SelfCorrect: d.config.SelfCorrect.Unsearched, Evidence: []sessionevents.Evidence{e},
		Message: fmt.Sprintf("%s %s. Share one definition instead of keeping two alike.", fileAt(file, line), what),
		Reason:  "A copy that is announced has to be kept alike by hand from now on.",
	}
}
