// Package weakenedcheck finds edits that make a failing or demanded check easier (E2):
// assertions removed or loosened, tests skipped or deleted, errors swallowed, thresholds
// lowered, CI that can no longer fail.
//
// Assertions are compared, not lines: package assertion reads them. Everything else is
// known by marks and numbers of rules/weakenedcheck.yaml.
package weakenedcheck

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is E2 as a value.
var Detector = &detect.Detector{
	ID: "E2", Name: "weakenedcheck", Class: sessionevents.ClassE,
	Title: "Weakened check",
	Doc:   doc, Rules: []string{"E2", "SW-3", "SW-14", "SW-30", "SW-42", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// Figures of E2.
const (
	cost        = 4
	brokenCost  = 5 // against a stated constraint
	selfCorrect = 0.2
)

// NewState is the memory of what failed and what the session edited.
func (*instance) NewState() any { return &memory{} }

// Run folds the turn in the order of its segments.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	j := d.watch(p)
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		switch {
		case s.Kind == sessionevents.SegmentDiff:
			j.edited(s)
		case s.Tool != nil:
			j.looked(s)
			j.commanded(s)
			j.checks.checked(s)
		}
	}
	a := &account{j.turn, &scales{j.turn}}
	a.settle()
	findings := a.findings()
	j.checks.forget()
	return findings
}

// Judge calls a signal corrected when the check is restored: what it demanded is added
// again, the mark is taken out, or the file is checked out again (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if len(s.Evidence) == 0 {
		return sessionevents.OutcomeOpen, "nothing to compare"
	}
	e := s.Evidence[0]
	was := ""
	if e.ConflictsWith != nil {
		was = strings.TrimSpace(e.ConflictsWith.What)
	}
	edited := false
	for i := range p.Turn.Segments {
		segment := &p.Turn.Segments[i]
		if detect.Applied(segment) && registry.SameFile(p.Before.Path(segment.Path), e.Path) {
			edited = true
			if d.restores(segment.Diff, was, e.Quote) {
				return sessionevents.OutcomeCorrected, "the check is restored"
			}
		}
		if s.Subclass == "deleted" && was != "" && segment.Kind == sessionevents.SegmentDiff && adds(segment.Diff, was) {
			return sessionevents.OutcomeCorrected, "the test is somewhere else"
		}
		if e.Path != "" && segment.Tool != nil && segment.Kind == sessionevents.SegmentTool && restoring(segment.Tool.Command, e.Path) {
			return sessionevents.OutcomeCorrected, "the file is checked out again"
		}
	}
	if edited {
		return sessionevents.OutcomeOpen, "edited, and the check is not restored"
	}
	return sessionevents.OutcomeOpen, "the check is not restored"
}

// adds reports whether an edit adds a test of this name.
func adds(diff *sessionevents.Diff, name string) bool {
	return slices.ContainsFunc(diff.Added(), func(l sessionevents.Line) bool { return strings.Contains(l.Text, name) })
}

// restores reports whether an edit adds what there was, or removes what weakened it.
func (d *instance) restores(diff *sessionevents.Diff, was, mark string) bool {
	flat := func(lines []sessionevents.Line) string {
		var b strings.Builder
		for _, l := range lines {
			b.WriteString(text.Line(l.Text) + " ")
		}
		return b.String()
	}
	added, removed := flat(diff.Added()), flat(diff.Removed())
	mark, was = text.Line(mark), text.Line(strings.TrimSuffix(was, "…"))
	if was != "" && was != mark && strings.Contains(added, was) {
		return true
	}
	return mark != "" && strings.Contains(removed, mark) && !strings.Contains(added, mark)
}

// restoring reports whether a command brings a file back.
func restoring(command, file string) bool {
	base := file[strings.LastIndexByte(file, '/')+1:]
	return base != "" && strings.Contains(command, base) &&
		(strings.Contains(command, "git checkout") || strings.Contains(command, "git restore") || strings.Contains(command, "git revert"))
}
