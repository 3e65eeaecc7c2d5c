package stuckloop

import (
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// act is one call with all its segments, an edit without a call, or a person's
// message.
type act struct {
	user    *sessionevents.Segment
	segment *sessionevents.Segment // the call's first
	edits   []*sessionevents.Segment
	failure *sessionevents.Segment // its ERROR
	// round counts the calls of the turn that came after the result of the one before: parallel calls,
	// sent before the first result, share one.
	round int
}

// acts are a turn's calls and messages in order. Bookkeeping (todo lists), calls
// that a person refused and calls that never ran are none.
func acts(t *sessionevents.TurnSegmented) []*act {
	var all []*act
	var last *act
	for i := range t.Segments {
		s := &t.Segments[i]
		switch {
		case s.Kind == sessionevents.SegmentUser:
			last = nil
			all = append(all, &act{user: s})
		case s.Proposed || s.Rejected || s.Kind == sessionevents.SegmentTodo || s.Kind == sessionevents.SegmentPlan:
			last = nil
		case last != nil && sameCall(last.segment, s):
			last.add(s)
		case s.Kind == sessionevents.SegmentTool || s.Kind == sessionevents.SegmentDiff:
			last = &act{segment: s}
			last.add(s)
			all = append(all, last)
		}
	}
	all = slices.DeleteFunc(all, (*act).cancelled)
	rounds(t, all)
	return all
}

// rounds numbers the tries of a turn. What the offsets leave between two calls, beside what is said
// there, is the result of the first.
func rounds(t *sessionevents.TurnSegmented, all []*act) {
	var before *act
	round := 0
	for _, a := range all {
		if a.user != nil {
			before = nil
			continue
		}
		if before != nil {
			gap := a.segment.Offset - before.segment.Offset - before.segment.Length
			for i := range t.Segments {
				s := &t.Segments[i]
				if s.Kind == sessionevents.SegmentPlan && s.Offset > before.segment.Offset && s.Offset < a.segment.Offset {
					gap -= s.Length + 1
				}
			}
			if gap > 1 {
				round++
			}
		}
		a.round, before = round, a
	}
}

func (a *act) add(s *sessionevents.Segment) {
	switch s.Kind {
	case sessionevents.SegmentDiff:
		a.edits = append(a.edits, s)
	case sessionevents.SegmentError:
		a.failure = s
	}
}

// sameCall: a call's TOOL or first DIFF comes first, its other DIFFs and its
// ERROR follow.
func sameCall(first, s *sessionevents.Segment) bool {
	if first.Tool == nil || s.Tool == nil || s.Kind == sessionevents.SegmentTool {
		return false
	}
	return first.Tool.CallID == s.Tool.CallID && first.Tool.InputHash == s.Tool.InputHash
}

// cancelled: the harness gave up before the tool ran.
func (a *act) cancelled() bool {
	return a.user == nil && a.failure == nil && a.segment.Result != nil && a.segment.Result.IsError
}

// is reports whether the call is one of these tools.
func (a *act) is(tools ...sessionevents.CanonicalTool) bool {
	return a.segment.Tool != nil && slices.Contains(tools, a.segment.Tool.Canonical)
}

// edit: the call of an edit tool, whose arguments may be unknown.
func (a *act) edit() bool { return a.is(sessionevents.ToolEdit, sessionevents.ToolWrite) }

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
