package segment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// PauseConfig is "segment.pause" of the rules.
type PauseConfig struct {
	Kinds     []string `yaml:"kinds"`     // effects of commands whose output is awaited
	Completed []string `yaml:"completed"` // sentences that complete a piece of work, RE2 with ^ and $ at lines
}

// Pauses detects natural pauses. It is safe for concurrent use.
type Pauses struct {
	kinds     []string
	completed *pattern.Regexp // over lines without their marks
}

// Before is the state that a pause needs from earlier turns: a few bytes of the session's
// state. The zero value precedes the first turn.
type Before struct {
	// Last is the kind of the previous turn's last segment; DIFF only if the edit was
	// applied.
	Last sessionevents.SegmentKind `json:"last,omitempty"`
	// Completed counts the entries of the last todo list that were completed.
	Completed int `json:"completed,omitempty"`
}

// NewPauses returns Pauses for the section "segment" of the rules.
func NewPauses(set *rules.Set) (*Pauses, error) {
	var c Config
	if err := set.Decode("segment", &c); err != nil {
		return nil, fmt.Errorf("load pauses: %w", err)
	}
	if len(c.Pause.Completed) == 0 {
		return &Pauses{kinds: c.Pause.Kinds}, nil
	}
	completed, err := pattern.For(set, "segment").RE2("pause.completed", "(?m:"+strings.Join(c.Pause.Completed, ")|(?m:")+")")
	if err != nil {
		return nil, fmt.Errorf("load pauses: %w", err)
	}
	return &Pauses{kinds: c.Pause.Kinds, completed: completed}, nil
}

// Of reports whether the turn is a natural pause, and returns the state for the next
// turn. An ordinary tool call is not a pause (DP-16).
func (p *Pauses) Of(before Before, t *sessionevents.TurnSegmented) (sessionevents.Pause, Before) {
	after := Before{Last: LastKind(t), Completed: before.Completed}
	completed := false
	for i := range t.Segments {
		if list := t.Segments[i].Todo; len(list) > 0 {
			done := countCompleted(list)
			single := len(list) == 1 && t.Segments[i].Tool != nil && done == 1
			completed = completed || done > after.Completed || single
			if !single {
				after.Completed = done
			}
		}
	}
	switch {
	case diffThenPlan(before.Last, t.Segments):
		return natural(sessionevents.PauseDiffThenPlan), after
	case completed || p.saysCompleted(t.Segments):
		return natural(sessionevents.PauseCompleted), after
	case p.awaits(t.Segments):
		return natural(sessionevents.PauseTests), after
	case endOfResponse(t.Segments):
		return natural(sessionevents.PauseEndOfResponse), after
	}
	return sessionevents.Pause{Boundary: awaitsOutput(t.Segments)}, after
}

func natural(why sessionevents.PauseReason) sessionevents.Pause {
	return sessionevents.Pause{Natural: true, Why: why}
}

// awaitsOutput reports whether the turn ends with a tool call, whose output precedes the
// next turn.
func awaitsOutput(segments []sessionevents.Segment) bool {
	return len(segments) > 0 && segments[len(segments)-1].Tool != nil
}

func countCompleted(list []sessionevents.TodoItem) (n int) {
	for _, item := range list {
		if item.Status == sessionevents.TodoCompleted {
			n++
		}
	}
	return n
}

// LastKind returns the kind of a turn's last segment. A DIFF that was only proposed, or
// not applied, counts as PLAN.
func LastKind(t *sessionevents.TurnSegmented) sessionevents.SegmentKind {
	if len(t.Segments) == 0 {
		return ""
	}
	last := &t.Segments[len(t.Segments)-1]
	if last.Kind == sessionevents.SegmentDiff && !complete(last) {
		return sessionevents.SegmentPlan
	}
	return last.Kind
}

// complete reports whether the edit was applied.
func complete(seg *sessionevents.Segment) bool {
	return seg.Kind == sessionevents.SegmentDiff && !seg.Proposed && !seg.Rejected && seg.Diff != nil && !seg.Diff.Failed
}

// diffThenPlan reports whether a DIFF directly precedes a PLAN, within the turn or across
// its start.
func diffThenPlan(last sessionevents.SegmentKind, segments []sessionevents.Segment) bool {
	edited := last == sessionevents.SegmentDiff
	for i := range segments {
		switch seg := &segments[i]; seg.Kind {
		case sessionevents.SegmentUser:
		case sessionevents.SegmentPlan:
			if edited {
				return true
			}
		default:
			edited = complete(seg)
		}
	}
	return false
}

// saysCompleted reports whether a PLAN outside of thinking has a sentence such as "That completes
// the parser."
func (p *Pauses) saysCompleted(segments []sessionevents.Segment) bool {
	if p.completed == nil {
		return false
	}
	for i := range segments {
		seg := &segments[i]
		if seg.Kind != sessionevents.SegmentPlan || seg.Thinking {
			continue
		}
		var lines strings.Builder
		lines.Grow(len(seg.Text))
		for line := range strings.Lines(seg.Text) {
			lines.WriteString(strings.TrimLeft(line, " \t*#-✅"))
		}
		if p.completed.MatchString(lines.String()) {
			return true
		}
	}
	return false
}

// awaits reports whether the turn runs tests or a build.
func (p *Pauses) awaits(segments []sessionevents.Segment) bool {
	for i := range segments {
		tool := segments[i].Tool
		if segments[i].Kind == sessionevents.SegmentTool && tool != nil && !segments[i].Rejected &&
			slices.ContainsFunc(tool.Effects, func(kind string) bool { return slices.Contains(p.kinds, kind) }) {
			return true
		}
	}
	return false
}

// endOfResponse reports whether the turn has prose and calls no tool.
func endOfResponse(segments []sessionevents.Segment) bool {
	said := false
	for i := range segments {
		if segments[i].Tool != nil {
			return false
		}
		said = said || segments[i].Kind != sessionevents.SegmentUser
	}
	return said
}
