package duplicatebuild

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// searches finds functions that are built instead of a search that was announced.
type searches struct{ *turn }

// lookup is an announced search for something that exists, not made yet.
type lookup struct {
	Text     string `json:"x"` // what is searched for, in the plan's words
	Turn     int    `json:"t"`
	Thinking bool   `json:"h,omitempty"`
}

// lookups reports a function that was built after the plan announced a search for an
// existing one, although nothing was read or searched in between.
func (x *searches) lookups() []detect.Finding {
	if x.memory.Lookup != nil && x.Turn.Turn-x.memory.Lookup.Turn > x.Lookup.Turns {
		x.memory.Lookup = nil
	}
	for i := range x.Turn.Segments {
		s := &x.Turn.Segments[i]
		if s.Kind == sessionevents.SegmentPlan {
			x.announcesLookup(s)
		}
		if x.memory.Lookup == nil {
			continue
		}
		if looks(s) {
			x.memory.Lookup = nil
			continue
		}
		if built := x.builtBy(s); built != nil {
			f := x.lookupFinding(x.memory.Lookup, s, built)
			x.memory.Lookup = nil
			return []detect.Finding{f}
		}
	}
	return nil
}

func (x *searches) announcesLookup(s *sessionevents.Segment) {
	for _, sentence := range prose.Sentences(s.Text) {
		if says := x.config.Lookup.Says.FindStringSubmatch(sentence.Text); says != nil {
			x.memory.Lookup = &lookup{Text: says[x.config.Lookup.Says.SubexpIndex("thing")], Turn: x.Turn.Turn, Thinking: s.Thinking}
		}
	}
}

// looks reports whether a call reads or searches, or asks another agent or a person.
func looks(s *sessionevents.Segment) bool {
	if s.Tool == nil || s.Kind == sessionevents.SegmentDiff {
		return false
	}
	switch s.Tool.Canonical {
	case sessionevents.ToolAgent, sessionevents.ToolAsk, sessionevents.ToolOther:
		return true
	}
	for _, a := range s.Accesses {
		if a.Kind != sessionevents.AccessWrite {
			return true
		}
	}
	return false
}

// builtBy returns the first function that an edit of production code adds.
func (x *searches) builtBy(s *sessionevents.Segment) *sessionevents.Symbol {
	if !detect.Applied(s) || x.measure.ConventionalFile(x.Before.Path(s.Path)) {
		return nil
	}
	for i := range x.Additions.Built {
		b := &x.Additions.Built[i]
		if b.Segment == s.Index && isCallable(b) && !x.measure.ConventionalName(b.Item.Symbol.Name) {
			return &b.Item.Symbol
		}
	}
	return nil
}

func isCallable(b *registry.SegmentItem[registry.Built]) bool {
	return b.Item.Symbol.Kind == "function" || b.Item.Symbol.Kind == "method"
}

func (x *searches) lookupFinding(l *lookup, s *sessionevents.Segment, built *sessionevents.Symbol) detect.Finding {
	e := detect.Whole(s)
	e.ConflictsWith = &sessionevents.EarlierEvent{Turn: l.Turn, What: l.Text}
	return detect.Finding{
		Subclass: "lookup", Subject: built.Name, Confidence: detect.Lexical(x.Confidence.Lookup, l.Thinking), ReworkCost: costCodebase,
		SelfCorrect: x.config.SelfCorrect.Unsearched, Evidence: []sessionevents.Evidence{e},
		Message: fmt.Sprintf("You meant to look for %s first (turn %d); %s was built in %s without a search. Search for it, and use what exists.",
			quote.Whole(l.Text, 8, "what exists"), l.Turn, quote.Name(built.Name), quote.Path(s.Path)),
		Reason: "A search for something that exists was announced and not made before the new function was built.",
	}
}

// judgeLookup reports the signal as corrected once something is searched or read, and as
// committed if edits continue with the new function.
func judgeLookup(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	own := p.Before.Path(s.Evidence[0].Path)
	for i := range p.Turn.Segments {
		segment := &p.Turn.Segments[i]
		for _, a := range segment.Accesses {
			if a.Kind == sessionevents.AccessSearch || a.Kind == sessionevents.AccessRead && p.Before.Path(a.Target) != own {
				return sessionevents.OutcomeCorrected, "it is searched for now"
			}
		}
		if segment.Kind == sessionevents.SegmentDiff && code.Holds(detect.Joined(segment.Diff.Added()), s.Subject) {
			return sessionevents.OutcomeCommitted, "an edit goes on with the new one"
		}
	}
	return sessionevents.OutcomeOpen, ""
}
