package stuckloop

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// act is one call with all its segments, an edit without a call, or a person's
// message.
type act struct {
	user    *events.Segment
	segment *events.Segment // the call's first
	edits   []*events.Segment
	failure *events.Segment // its ERROR
}

// acts are a turn's calls and messages in order. Bookkeeping (todo lists), calls
// that a person refused and calls that never ran are none.
func acts(t *events.TurnSegmented) []*act {
	var all []*act
	var last *act
	for i := range t.Segments {
		s := &t.Segments[i]
		switch {
		case s.Kind == events.SegmentUser:
			last = nil
			all = append(all, &act{user: s})
		case s.Proposed || s.Rejected || s.Kind == events.SegmentTodo || s.Kind == events.SegmentPlan:
			last = nil
		case last != nil && sameCall(last.segment, s):
			last.add(s)
		case s.Kind == events.SegmentTool || s.Kind == events.SegmentDiff:
			last = &act{segment: s}
			last.add(s)
			all = append(all, last)
		}
	}
	return slices.DeleteFunc(all, (*act).cancelled)
}

func (a *act) add(s *events.Segment) {
	switch s.Kind {
	case events.SegmentDiff:
		a.edits = append(a.edits, s)
	case events.SegmentError:
		a.failure = s
	}
}

// sameCall: a call's TOOL or first DIFF comes first, its other DIFFs and its
// ERROR follow.
func sameCall(first, s *events.Segment) bool {
	if first.Tool == nil || s.Tool == nil || s.Kind == events.SegmentTool {
		return false
	}
	return first.Tool.CallID == s.Tool.CallID && first.Tool.InputHash == s.Tool.InputHash
}

// cancelled: the harness gave up before the tool ran.
func (a *act) cancelled() bool {
	return a.user == nil && a.failure == nil && a.segment.Result != nil && a.segment.Result.IsError
}

// is reports whether the call is one of these tools.
func (a *act) is(tools ...events.CanonicalTool) bool {
	return a.segment.Tool != nil && slices.Contains(tools, a.segment.Tool.Canonical)
}

// has reports whether a shell call does any of these things.
func (a *act) has(effects []string) bool {
	return a.segment.Tool != nil && slices.ContainsFunc(a.segment.Tool.Effects, func(e string) bool { return slices.Contains(effects, e) })
}

// command is a shell call's command line, else the tool's name.
func (a *act) command() string {
	switch {
	case a.segment.Tool == nil:
		return ""
	case a.segment.Tool.Command != "":
		return a.segment.Tool.Command
	}
	return a.segment.Tool.Name
}

// output is what is kept of the result.
func (a *act) output() string {
	if a.segment.Result == nil {
		return ""
	}
	return strings.TrimSpace(a.segment.Result.Head + "\n" + a.segment.Result.Tail)
}
