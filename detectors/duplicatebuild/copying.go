package duplicatebuild

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// copying finds copies that a comment, an ignore mark or the plan announces.
type copying struct{ *turn }

// copies returns findings for copies that a comment, an ignore mark or the plan announces
// next to added code. Code declared to be a copy is one, even in tests or if it is short.
func (x *copying) copies() []detect.Finding {
	var out []detect.Finding
	plan := x.copyPlan()
	for i := range x.Turn.Segments {
		s := &x.Turn.Segments[i]
		if !detect.Applied(s) || !syntax.Reads(s.Language) {
			continue
		}
		f, ok := x.markedCopy(s)
		if !ok {
			f, ok = x.shownCopy(s)
		}
		if !ok && plan != nil {
			f, ok = x.plannedCopy(s, plan)
		}
		if ok && !slices.Contains(x.memory.Pasted, f.Subject) {
			x.memory.Pasted = text.Newest(append(x.memory.Pasted, f.Subject), x.Fragments.Kept)
			out = append(out, f)
		}
	}
	return out
}

// markedCopy finds a comment or an ignore mark in the added lines that declares them a
// copy.
func (x *copying) markedCopy(s *sessionevents.Segment) (detect.Finding, bool) {
	removed := detect.Joined(s.Diff.Removed())
	offset := 0
	for _, line := range s.Diff.Added() {
		text := strings.TrimSpace(line.Text)
		if !x.callsCopy(commentIn(text)) || strings.Contains(removed, text) || len(x.addedStatements(s)) < leastCopied {
			offset += len(line.Text) + 1
			continue
		}
		return x.copyFinding(s, detect.At(s, offset, len(line.Text)), line.Number,
			fmt.Sprintf("says %q of what it adds", shorten(strings.Trim(text, "/#* "), 60))), true
	}
	return detect.Finding{}, false
}

// callsCopy reports whether a comment declares the code next to it a copy of something it
// names, or excludes it from duplicate checks.
func (c *config) callsCopy(comment string) bool {
	if c.Copies.Ignores.MatchString(comment) {
		return true
	}
	at := c.Copies.Marks.FindStringIndex(comment)
	return at != nil && c.Copies.Names.MatchString(comment[at[1]:])
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
func (x *copying) copyPlan() *sessionevents.Segment {
	for i := range x.Turn.Segments {
		s := &x.Turn.Segments[i]
		if s.Kind != sessionevents.SegmentPlan || s.Thinking {
			continue
		}
		for _, sentence := range prose.Sentences(s.Text) {
			if x.Copies.Planned.MatchString(sentence.Text) && !x.Copies.Avoided.MatchString(sentence.Text) && !strings.HasSuffix(sentence.Text, "?") {
				return s
			}
		}
	}
	return nil
}

// plannedCopy returns a finding for the edit that makes a copy announced by the plan.
func (x *copying) plannedCopy(s, plan *sessionevents.Segment) (detect.Finding, bool) {
	added := x.addedStatements(s)
	if s.Index < plan.Index || len(added) < x.Fragments.Least-1 {
		return detect.Finding{}, false
	}
	for _, sentence := range prose.Sentences(plan.Text) {
		if x.Copies.Planned.MatchString(sentence.Text) && !x.Copies.Avoided.MatchString(sentence.Text) {
			f := x.copyFinding(s, detect.Whole(s), added[0].line, "is the copy that the plan announces ("+shorten(sentence.Text, 60)+")")
			f.Evidence = append(f.Evidence, detect.At(plan, sentence.Offset, sentence.Length))
			return f, true
		}
	}
	return detect.Finding{}, false
}

// shownCopy finds added statements in code that the turn itself quotes as existing.
func (x *copying) shownCopy(s *sessionevents.Segment) (detect.Finding, bool) {
	if x.measure.ConventionalFile(s.Path) || !x.quotesExisting() {
		return detect.Finding{}, false
	}
	added := x.addedStatements(s)
	for i := range x.Turn.Segments[:s.Index] {
		shown := &x.Turn.Segments[i]
		if shown.Kind != sessionevents.SegmentDiff || !shown.Proposed {
			continue
		}
		var keys []uint32
		for _, line := range shown.Diff.Added() {
			if st, ok := x.readStatement("\t" + strings.TrimSpace(line.Text)); ok {
				keys = append(keys, st.key)
			}
		}
		run := x.longestRun(added, keys)
		if x.weigh(run) <= faint {
			continue
		}
		telling := run[0]
		for _, st := range run {
			if st.names > telling.names {
				telling = st
			}
		}
		e := detect.At(s, run[0].at, run[len(run)-1].at-run[0].at+len(run[len(run)-1].text))
		return x.copyFinding(s, e, run[0].line, "repeats code that the plan quotes as existing"+with(telling.text)), true
	}
	return detect.Finding{}, false
}

// quotesExisting reports whether the turn mentions code that already exists.
func (x *copying) quotesExisting() bool {
	return slices.ContainsFunc(x.Turn.Segments, func(s sessionevents.Segment) bool {
		return s.Kind == sessionevents.SegmentPlan && x.Copies.Shown.MatchString(s.Text)
	})
}

func (x *copying) copyFinding(s *sessionevents.Segment, e sessionevents.Evidence, line int, what string) detect.Finding {
	file := x.Before.Path(s.Path)
	return detect.Finding{
		Subclass: "copy", Subject: "copy in " + path.Base(file), Confidence: x.Confidence.Copy, ReworkCost: costCodebase,
		SelfCorrect: x.config.SelfCorrect.Unsearched, Evidence: []sessionevents.Evidence{e},
		Message: fmt.Sprintf("%s %s. Share one definition instead of keeping two alike.", fileAt(file, line), what),
		Reason:  "A copy that is announced has to be kept alike by hand from now on.",
	}
}
