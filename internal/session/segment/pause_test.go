package segment

import (
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// DP-16, case by case.
func TestPauses(t *testing.T) {
	plan := func(text string) sessionevents.Segment {
		return sessionevents.Segment{Kind: sessionevents.SegmentPlan, Text: text}
	}
	tool := func(effects ...string) sessionevents.Segment {
		return sessionevents.Segment{Kind: sessionevents.SegmentTool, Tool: &sessionevents.ToolCall{Effects: effects}}
	}
	edit := sessionevents.Segment{Kind: sessionevents.SegmentDiff, Tool: &sessionevents.ToolCall{}, Diff: &sessionevents.Diff{}}
	failed := sessionevents.Segment{Kind: sessionevents.SegmentDiff, Tool: &sessionevents.ToolCall{}, Diff: &sessionevents.Diff{Failed: true}}
	shown := sessionevents.Segment{Kind: sessionevents.SegmentDiff, Proposed: true, Diff: &sessionevents.Diff{}}
	refused := tool("test")
	refused.Rejected = true
	thinking := plan("That completes it.")
	thinking.Thinking = true
	todo := func(status ...sessionevents.TodoStatus) sessionevents.Segment {
		seg := sessionevents.Segment{Kind: sessionevents.SegmentTodo, Tool: &sessionevents.ToolCall{}}
		for _, s := range status {
			seg.Todo = append(seg.Todo, sessionevents.TodoItem{Text: "x", Status: s})
		}
		return seg
	}
	user := sessionevents.Segment{Kind: sessionevents.SegmentUser, Text: "go on"}
	cases := []struct {
		name     string
		before   Before
		segments []sessionevents.Segment
		want     sessionevents.PauseReason
	}{
		{"ordinary call", Before{}, []sessionevents.Segment{plan("I'll read."), tool("read")}, ""},
		{"edit then plan in the turn", Before{}, []sessionevents.Segment{plan("a"), edit, plan("next"), tool("read")}, sessionevents.PauseDiffThenPlan},
		{"edit last turn, plan now", Before{Last: sessionevents.SegmentDiff}, []sessionevents.Segment{user, plan("next"), tool("read")}, sessionevents.PauseDiffThenPlan},
		{"edit last turn, call now", Before{Last: sessionevents.SegmentDiff}, []sessionevents.Segment{tool("read"), plan("x"), tool("read")}, ""},
		{"failed edit then plan", Before{}, []sessionevents.Segment{failed, plan("again"), tool("read")}, ""},
		{"shown code then plan", Before{}, []sessionevents.Segment{shown, plan("so"), tool("read")}, ""},
		{"says so", Before{}, []sessionevents.Segment{plan("Good.\nThat completes the parser."), tool("read")}, sessionevents.PauseCompleted},
		{"thinks so", Before{}, []sessionevents.Segment{thinking, tool("read")}, ""},
		{"todo turns completed", Before{Completed: 1}, []sessionevents.Segment{todo("completed", "completed", "pending")}, sessionevents.PauseCompleted},
		{"todo stays", Before{Completed: 2}, []sessionevents.Segment{todo("completed", "completed", "in_progress")}, ""},
		{"one task completed", Before{Completed: 5}, []sessionevents.Segment{todo("completed")}, sessionevents.PauseCompleted},
		{"tests", Before{}, []sessionevents.Segment{plan("a"), tool("read", "test")}, sessionevents.PauseTests},
		{"build", Before{}, []sessionevents.Segment{tool("build")}, sessionevents.PauseTests},
		{"lint is no pause", Before{}, []sessionevents.Segment{tool("lint")}, ""},
		{"refused tests", Before{}, []sessionevents.Segment{refused}, ""},
		{"end of response", Before{}, []sessionevents.Segment{user, plan("Here is the answer.")}, sessionevents.PauseEndOfResponse},
		{"nothing said", Before{}, []sessionevents.Segment{user}, ""},
		{"empty", Before{}, nil, ""},
	}
	p, err := NewPauses(rules.Default())
	require.NoError(t, err)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			pause, _ := p.Of(c.before, &sessionevents.TurnSegmented{Segments: c.segments})
			boundary := c.want == "" && len(c.segments) > 0 && c.segments[len(c.segments)-1].Tool != nil
			require.Equal(t, sessionevents.Pause{Natural: c.want != "", Why: c.want, Boundary: boundary}, pause)
		})
	}
}

func TestPauseRemembersTheTurnBefore(t *testing.T) {
	p, err := NewPauses(rules.Default())
	require.NoError(t, err)
	edit := &sessionevents.TurnSegmented{Segments: []sessionevents.Segment{
		{Kind: sessionevents.SegmentTodo, Todo: []sessionevents.TodoItem{{Status: "completed"}, {Status: "pending"}}},
		{Kind: sessionevents.SegmentDiff, Tool: &sessionevents.ToolCall{}, Diff: &sessionevents.Diff{}},
	}}
	_, after := p.Of(Before{}, edit)
	require.Equal(t, Before{Last: sessionevents.SegmentDiff, Completed: 1}, after)
	rejected := &sessionevents.TurnSegmented{Segments: []sessionevents.Segment{{Kind: sessionevents.SegmentDiff, Rejected: true, Diff: &sessionevents.Diff{}}}}
	require.Equal(t, sessionevents.SegmentPlan, LastKind(rejected))
	require.Empty(t, LastKind(&sessionevents.TurnSegmented{}))
}

func TestPhrases(t *testing.T) {
	p, err := NewPauses(rules.Default())
	require.NoError(t, err)
	for text, want := range map[string]bool{
		"That completes the migration.": true, "All done!": true, "I've now finished the parser.": true, "Step 3 is complete.": true,
		"✅ Done: everything passes": true, "Everything is now in place.": true, "The work is now complete.": true,
		"I'll complete the parser next.": false, "Once that is done, I test.": false, "This function completes paths.": false, "Not done yet.": false,
	} {
		require.Equal(t, want, p.saysCompleted([]sessionevents.Segment{{Kind: sessionevents.SegmentPlan, Text: text}}), text)
	}
}

// A turn whose last act is a call ends at a boundary: its output is awaited (DP-16).
func TestBoundary(t *testing.T) {
	call := sessionevents.Segment{Kind: sessionevents.SegmentTool, Tool: &sessionevents.ToolCall{Name: "Read"}}
	failure := sessionevents.Segment{Kind: sessionevents.SegmentError, Tool: call.Tool}
	said := sessionevents.Segment{Kind: sessionevents.SegmentPlan, Text: "Let me see."}
	for name, c := range map[string]struct {
		segments []sessionevents.Segment
		want     bool
	}{
		"a call last":    {[]sessionevents.Segment{said, call}, true},
		"its failure":    {[]sessionevents.Segment{call, failure}, true},
		"a word last":    {[]sessionevents.Segment{call, said}, false},
		"nothing at all": {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, awaitsOutput(c.segments))
		})
	}
}
