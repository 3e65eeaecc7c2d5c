package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// brokenRun is a run in session s1 that broke.
func brokenRun(t *testing.T) *player {
	p := newPlayer(t)
	p.feed(&runevents.RunStarted{}, &sessionevents.SessionOpened{Session: "s1", Run: "r"}, agent("failure"), agent("failure"), agent("failure"))
	require.Equal(t, runevents.ControlHalted, p.state.Control.State)
	return p
}

// RW-33: who is refused, says goodbye or was under way does not ignore the halt; who
// runs a tool, edits a file or answers a request does.
func TestWhatIgnoresAHalt(t *testing.T) {
	segments := func(kinds ...sessionevents.SegmentKind) map[sessionevents.SegmentKind]int {
		out := map[sessionevents.SegmentKind]int{}
		for _, kind := range kinds {
			out[kind]++
		}
		return out
	}
	for name, c := range map[string]struct {
		observed *sessionevents.Observations
		ignores  bool
	}{
		"a refused call":         {&sessionevents.Observations{Segments: segments("PLAN", "TOOL", "TOOL"), Refused: 2}, false},
		"a closing message":      {&sessionevents.Observations{Segments: segments("PLAN")}, false},
		"an edit only proposed":  {&sessionevents.Observations{Segments: segments("PLAN", "DIFF")}, false},
		"a tool that ran":        {&sessionevents.Observations{Segments: segments("TOOL")}, true},
		"one of two was refused": {&sessionevents.Observations{Segments: segments("TOOL", "TOOL"), Refused: 1}, true},
		"a tool that failed":     {&sessionevents.Observations{Segments: segments("ERROR")}, true},
		"an edit":                {&sessionevents.Observations{Segments: segments("DIFF"), FilesEdited: []string{"a.go"}}, true},
		"a request answered":     {&sessionevents.Observations{Segments: segments("USER", "PLAN")}, true},
		"nothing known":          {nil, true},
	} {
		out := of[runevents.HaltIgnored](brokenRun(t).feed(&sessionevents.TurnEvaluated{Session: "s1", Run: "r", Turn: 4, Observed: c.observed}))
		require.Equal(t, c.ignores, len(out) == 1, name)
	}
	p := brokenRun(t)
	began := p.event(&sessionevents.TurnEvaluated{Session: "s1", Run: "r", Turn: 4, Observed: &sessionevents.Observations{Segments: segments("TOOL")}})
	began.Time = p.at.Add(-time.Minute)
	require.Empty(t, of[runevents.HaltIgnored](p.fold(began)), "it was under way")
}

// RW-32: a failed task is no result to show.
func TestFailedTasksAreNoResult(t *testing.T) {
	best := func(outcomes ...string) string {
		p := newPlayer(t)
		p.feed(&runevents.RunStarted{})
		for _, outcome := range outcomes {
			p.feed(&runevents.TaskCompleted{Task: "t", Outcome: outcome})
		}
		return facts{p.config, p.state}.Best()
	}
	require.Equal(t, "what is committed", best("failure", "timeout"))
	require.Equal(t, "1 task completed", best("failure", "success"))
	require.Equal(t, "2 tasks completed", best("success", "success", "failure"))
}

// RW-20: one review counts once, whatever name it comes under; two reviewers of a kind
// are two, and so are two cycles.
func TestReviewsCountOnce(t *testing.T) {
	p := newPlayer(t)
	critical := []runevents.Finding{{ID: "f", Severity: runevents.SeverityCritical, Text: "x"}}
	for _, data := range []any{
		&runevents.RunStarted{},
		&runevents.AgentCompleted{AgentID: "g-1", Archetype: "guardian", Cycle: 1, Outcome: "success", Verdict: "rejected", Findings: critical},
		&runevents.ReviewCompleted{Reviewer: "guardian", Cycle: 1, Verdict: "rejected", Findings: critical},
		&runevents.ReviewCompleted{Reviewer: "g-1", Cycle: 1, Verdict: "rejected", Findings: critical},
	} {
		p.feed(data)
	}
	require.Equal(t, 1, p.state.Checkpoint.Current.Rework)
	p.feed(&runevents.AgentCompleted{AgentID: "g-2", Archetype: "guardian", Cycle: 1, Outcome: "success", Verdict: "rejected"})
	require.Equal(t, 2, p.state.Checkpoint.Current.Rework)
	p.feed(&runevents.ReviewCompleted{Reviewer: "guardian", Cycle: 2, Verdict: "rejected"})
	require.Equal(t, 3, p.state.Checkpoint.Current.Rework)
}
