package detect

import (
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// A response that ends with the work, or a report that it is done, commits to what
// is watched (DP-11), and to nothing else.
func TestSettles(t *testing.T) {
	edit := []sessionevents.Evidence{{Kind: sessionevents.SegmentPlan}, {Kind: sessionevents.SegmentDiff}}
	low := sessionevents.Signal{Class: sessionevents.ClassA, Urgency: LogOnly, Evidence: edit}
	signal := func(change func(*sessionevents.Signal)) *sessionevents.Signal {
		s := low
		change(&s)
		return &s
	}
	limit := LogOnly
	said := sessionevents.Segment{Kind: sessionevents.SegmentPlan, Text: "Here it is."}
	call := sessionevents.Segment{Kind: sessionevents.SegmentTool, Tool: &sessionevents.ToolCall{Name: "Read"}}
	end := &Pass{Turn: &sessionevents.TurnSegmented{Segments: []sessionevents.Segment{said}}}
	require.True(t, settles(&low, end))
	require.True(t, settles(signal(func(s *sessionevents.Signal) { s.Class = sessionevents.ClassB }), end))
	for name, s := range map[string]*sessionevents.Signal{
		"another class":   signal(func(s *sessionevents.Signal) { s.Class = sessionevents.ClassC }),
		"it is queued":    signal(func(s *sessionevents.Signal) { s.Urgency = LogOnly + 1 }),
		"it is capped":    signal(func(s *sessionevents.Signal) { s.Cap = &limit }),
		"only announced":  signal(func(s *sessionevents.Signal) { s.Evidence = edit[:1] }),
		"without a trace": signal(func(s *sessionevents.Signal) { s.Evidence = nil }),
	} {
		require.False(t, settles(s, end), name)
	}
	thought := said
	thought.Thinking = true
	for name, segments := range map[string][]sessionevents.Segment{
		"it goes on": {said, call}, "only thought": {thought}, "only a person spoke": {{Kind: sessionevents.SegmentUser, Text: "And?"}}, "nothing": nil,
	} {
		pass := &Pass{Turn: &sessionevents.TurnSegmented{Segments: segments}}
		require.False(t, settles(&low, pass), name)
		pass.Reports = true
		require.True(t, settles(&low, pass), name)
	}
}
