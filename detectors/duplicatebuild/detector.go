// Package duplicatebuild finds symbols and files that are built although the session or
// the codebase already has them (A1).
package duplicatebuild

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the A1 detector.
var Detector = &detect.Detector{
	ID: "A1", Name: "duplicatebuild", Class: sessionevents.ClassA,
	Title: "Building what is there already",
	Doc:   doc, Rules: []string{"A1", "SW-1", "SW-10", "SW-11", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// Figures of A1.
const (
	costInSession    = 2
	costCodebase     = 3
	costArchitecture = 4
	// inSessionFloor applies to what this session, or another of its run, built.
	inSessionFloor sessionevents.Urgency = 20
)

// memory holds what was announced, so that it is reported once, and when code was said to
// move. It is bounded.
type memory struct {
	Announced []string `json:"a,omitempty"` // normalised names, oldest first
	// Moving is the turn whose plan last said that code is being moved.
	Moving int `json:"m,omitempty"`
	// Passages are the places of the newest edits with their statements, Pasted the
	// reported fragments.
	Passages []passage `json:"p,omitempty"`
	Pasted   []string  `json:"f,omitempty"`
	// Constants are the named literals of the newest edits.
	Constants []constant `json:"c,omitempty"`
	// Extractions are announced moves that are only copies so far.
	Extractions []extraction `json:"x,omitempty"`
	// Lookup is a search that the plan announced and that has not happened yet.
	Lookup *lookup `json:"l,omitempty"`
}

// NewState returns an empty memory of announcements.
func (*instance) NewState() any { return &memory{} }

// Run examines the symbols that DIFFs create, the files, then what PLAN announces.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	t := &turn{d, p, p.State.(*memory)}
	t.noteMoving()
	x, moved := &doubles{t}, &extractions{t}
	repeats := slices.Concat(x.symbols(), x.createdFiles(), x.constants())
	var out []detect.Finding
	for _, group := range grouped(repeats) {
		out = append(out, x.report(group))
		moved.noteExtraction(group)
	}
	out = append(out, moved.unfinished()...)
	out = append(out, (&copying{t}).copies()...)
	out = append(out, (&pastes{t}).fragments(repeats)...)
	if found := (&searches{t}).lookups(); len(repeats) == 0 { // what exists is already named
		out = append(out, found...)
	}
	return append(out, (&plans{t}).announcements()...)
}

// Judge reports the duplicate as corrected if it is removed, or if the earlier thing is
// reused, extended or mentioned as existing, and as committed if a DIFF builds on the new
// one (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if len(s.Evidence) == 0 || s.Evidence[0].ConflictsWith == nil && s.Subclass != "copy" {
		return sessionevents.OutcomeOpen, ""
	}
	switch s.Subclass {
	case "fragment", "copy":
		return d.judgeFragment(p, s)
	case "lookup":
		return judgeLookup(p, s)
	case "extraction":
		return judgeExtraction(p, s)
	}
	own, ownPath := nameOf(s), s.Evidence[0].Path
	old, oldPath := bare(s.Evidence[0].ConflictsWith.What), s.Evidence[0].ConflictsWith.Path
	if detect.Among(p.Additions.Removed, own, p.Before.Path(ownPath)) {
		return sessionevents.OutcomeCorrected, "the second one is removed"
	}
	if detect.Among(p.Additions.Removed, old, oldPath) {
		return sessionevents.OutcomeCorrected, "the earlier one is removed"
	}
	outcome, why := sessionevents.OutcomeOpen, ""
	for i := range p.Turn.Segments {
		segment := &p.Turn.Segments[i]
		switch segment.Kind {
		case sessionevents.SegmentPlan:
			if !segment.Thinking && d.acknowledges(segment.Text, old, oldPath) {
				return sessionevents.OutcomeCorrected, "the plan names the earlier one as existing"
			}
		case sessionevents.SegmentDiff:
			if !detect.Applied(segment) {
				continue
			}
			added := detect.Joined(segment.Diff.Added())
			switch path := p.Before.Path(segment.Path); {
			case path == oldPath && (old == oldPath || code.Holds(added, old) || detect.Among(p.Additions.Edited, old, oldPath)):
				return sessionevents.OutcomeCorrected, "an edit extends the earlier one"
			case path != oldPath && imports(segment, added, old, oldPath):
				return sessionevents.OutcomeCorrected, "an edit reuses the earlier one"
			case path == p.Before.Path(ownPath) && ownPath != "", code.Holds(added, own):
				outcome, why = sessionevents.OutcomeCommitted, "an edit goes on with the second one"
			}
		}
	}
	return outcome, why
}

// judgeFragment reports a fragment as corrected if an edit removes one of the two, and as
// committed if its file is edited further.
func (d *instance) judgeFragment(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	file := p.Before.Path(s.Evidence[0].Path)
	keys := map[uint32]bool{}
	for line := range strings.Lines(s.Evidence[0].Quote) {
		if st, ok := d.readStatement("\t" + strings.TrimSpace(line)); ok {
			keys[st.key] = true
		}
	}
	outcome, why := sessionevents.OutcomeOpen, ""
	for i := range p.Turn.Segments {
		segment := &p.Turn.Segments[i]
		if !detect.Applied(segment) {
			continue
		}
		for _, line := range segment.Diff.Removed() {
			if st, ok := d.readStatement(line.Text); ok && keys[st.key] {
				return sessionevents.OutcomeCorrected, "one of the two is taken out"
			}
		}
		if p.Before.Path(segment.Path) == file {
			outcome, why = sessionevents.OutcomeCommitted, "the edits of "+file+" go on"
		}
	}
	return outcome, why
}

// judgeExtraction reports an extraction as corrected once the old copies are removed or
// the new file is imported.
func judgeExtraction(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	earlier := s.Evidence[0].ConflictsWith
	e := extraction{Path: s.Subject, Old: earlier.Path, Names: strings.Split(earlier.What, ", ")}
	if usedSince(p, &e) {
		return sessionevents.OutcomeCorrected, "the new file is used now"
	}
	return sessionevents.OutcomeOpen, ""
}

// nameOf returns the new thing's name without the session it is shared with.
func nameOf(s *sessionevents.Signal) string {
	name, _, _ := strings.Cut(s.Subject, " (session ")
	return name
}

// bare returns a symbol's name without its parameters.
func bare(what string) string {
	name, _, _ := strings.Cut(what, "(")
	return name
}

// imports reports whether the added lines import the earlier file and use the earlier
// name.
func imports(segment *sessionevents.Segment, added, old, oldPath string) bool {
	return uses(segment, &sessionevents.Symbol{Path: oldPath}) && (old == oldPath || code.Holds(added, old))
}

// acknowledges reports whether a sentence names the earlier thing, or its file, together
// with a word for existing or using.
func (c *config) acknowledges(text, old, oldPath string) bool {
	for sentence := range strings.SplitSeq(text, "\n") {
		named := strings.Contains(sentence, old) || oldPath != "" && strings.Contains(sentence, oldPath)
		if named && c.Existing.MatchString(sentence) {
			return true
		}
	}
	return false
}
