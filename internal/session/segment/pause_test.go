package segment

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// DP-16, case by case.
func TestPauses(t *testing.T) {
	plan := func(text string) events.Segment { return events.Segment{Kind: events.SegmentPlan, Text: text} }
	tool := func(effects ...string) events.Segment {
		return events.Segment{Kind: events.SegmentTool, Tool: &events.ToolCall{Effects: effects}}
	}
	edit := events.Segment{Kind: events.SegmentDiff, Tool: &events.ToolCall{}, Diff: &events.Diff{}}
	failed := events.Segment{Kind: events.SegmentDiff, Tool: &events.ToolCall{}, Diff: &events.Diff{Failed: true}}
	shown := events.Segment{Kind: events.SegmentDiff, Proposed: true, Diff: &events.Diff{}}
	refused := tool("test")
	refused.Rejected = true
	thinking := plan("That completes it.")
	thinking.Thinking = true
	todo := func(status ...string) events.Segment {
		seg := events.Segment{Kind: events.SegmentTodo, Tool: &events.ToolCall{}}
		for _, s := range status {
			seg.Todo = append(seg.Todo, events.TodoItem{Text: "x", Status: s})
		}
		return seg
	}
	user := events.Segment{Kind: events.SegmentUser, Text: "go on"}
	cases := []struct {
		name     string
		before   Before
		segments []events.Segment
		want     string
	}{
		{"ordinary call", Before{}, []events.Segment{plan("I'll read."), tool("read")}, ""},
		{"edit then plan in the turn", Before{}, []events.Segment{plan("a"), edit, plan("next"), tool("read")}, PauseDiffThenPlan},
		{"edit last turn, plan now", Before{Last: events.SegmentDiff}, []events.Segment{user, plan("next"), tool("read")}, PauseDiffThenPlan},
		{"edit last turn, call now", Before{Last: events.SegmentDiff}, []events.Segment{tool("read"), plan("x"), tool("read")}, ""},
		{"failed edit then plan", Before{}, []events.Segment{failed, plan("again"), tool("read")}, ""},
		{"shown code then plan", Before{}, []events.Segment{shown, plan("so"), tool("read")}, ""},
		{"says so", Before{}, []events.Segment{plan("Good.\nThat completes the parser."), tool("read")}, PauseCompleted},
		{"thinks so", Before{}, []events.Segment{thinking, tool("read")}, ""},
		{"todo turns completed", Before{Completed: 1}, []events.Segment{todo("completed", "completed", "pending")}, PauseCompleted},
		{"todo stays", Before{Completed: 2}, []events.Segment{todo("completed", "completed", "in_progress")}, ""},
		{"one task completed", Before{Completed: 5}, []events.Segment{todo("completed")}, PauseCompleted},
		{"tests", Before{}, []events.Segment{plan("a"), tool("read", "test")}, PauseTests},
		{"build", Before{}, []events.Segment{tool("build")}, PauseTests},
		{"lint is no pause", Before{}, []events.Segment{tool("lint")}, ""},
		{"refused tests", Before{}, []events.Segment{refused}, ""},
		{"end of response", Before{}, []events.Segment{user, plan("Here is the answer.")}, PauseEndOfResponse},
		{"nothing said", Before{}, []events.Segment{user}, ""},
		{"empty", Before{}, nil, ""},
	}
	p, err := NewPauses(rules.Default())
	require.NoError(t, err)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			pause, _ := p.Of(c.before, &events.TurnSegmented{Segments: c.segments})
			require.Equal(t, events.Pause{Natural: c.want != "", Why: c.want}, pause)
		})
	}
}

func TestPauseRemembersTheTurnBefore(t *testing.T) {
	p, err := NewPauses(rules.Default())
	require.NoError(t, err)
	edit := &events.TurnSegmented{Segments: []events.Segment{
		{Kind: events.SegmentTodo, Todo: []events.TodoItem{{Status: "completed"}, {Status: "pending"}}},
		{Kind: events.SegmentDiff, Tool: &events.ToolCall{}, Diff: &events.Diff{}},
	}}
	_, after := p.Of(Before{}, edit)
	require.Equal(t, Before{Last: events.SegmentDiff, Completed: 1}, after)
	rejected := &events.TurnSegmented{Segments: []events.Segment{{Kind: events.SegmentDiff, Rejected: true, Diff: &events.Diff{}}}}
	require.Equal(t, events.SegmentPlan, LastKind(rejected))
	require.Empty(t, LastKind(&events.TurnSegmented{}))
}

func TestPhrases(t *testing.T) {
	p, err := NewPauses(rules.Default())
	require.NoError(t, err)
	for text, want := range map[string]bool{
		"That completes the migration.": true, "All done!": true, "I've now finished the parser.": true, "Step 3 is complete.": true,
		"✅ Done: everything passes": true, "Everything is now in place.": true, "The work is now complete.": true,
		"I'll complete the parser next.": false, "Once that is done, I test.": false, "This function completes paths.": false, "Not done yet.": false,
	} {
		require.Equal(t, want, p.saysCompleted([]events.Segment{{Kind: events.SegmentPlan, Text: text}}), text)
	}
}
