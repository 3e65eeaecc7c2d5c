package fleetreport

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// runCounts are two projects' runs over two days, and one that named no project.
func runCounts() map[RunCount]int64 {
	counts := map[RunCount]int64{}
	add := func(day, project, topic, name string, list map[string]int64) {
		for what, n := range list {
			counts[RunCount{day, project, topic, name, what}] = n
		}
	}
	add("2026-01-05", "shop", "run", "", map[string]int64{"runs": 4, "events": 60, "failed": 1})
	add("2026-01-05", "shop", "state", "halted", map[string]int64{"runs": 1})
	add("2026-01-05", "shop", "state", "done", map[string]int64{"runs": 3})
	add("2026-01-05", "shop", "outcome", "success", map[string]int64{"runs": 2})
	add("2026-01-05", "shop", "outcome", "failure", map[string]int64{"runs": 1})
	add("2026-01-05", "shop", "break", "agent_failures", map[string]int64{"hard": 2, "resumed": 1, "not_warranted": 1, "too_early": 1})
	add("2026-01-06", "shop", "break", "budget_95", map[string]int64{"soft": 1, "unclear": 1})
	add("2026-01-05", "shop", "escalation", "", map[string]int64{"raised": 4, "answered": 1, "resumed": 1, "superseded": 1})
	add("2026-01-05", "shop", "question", "", map[string]int64{"raised": 2, "defaulted": 1, "answered": 1})
	add("2026-01-05", "shop", "correction", "correct", map[string]int64{"issued": 4, "held": 2, "recurred": 1, "open": 1})
	add("2026-01-05", "shop", "correction", "replace", map[string]int64{"issued": 1, "untested": 1})
	add("2026-01-05", "shop", "gate", "merge", map[string]int64{"allow": 5, "allow_with_warning": 1, "deny": 2, "ahead": 3})
	add("2026-01-05", "shop", "gate", "", map[string]int64{"unanswered": 1})
	add("2026-01-07", "web", "run", "", map[string]int64{"runs": 1, "events": 9})
	add("2026-01-07", "web", "state", "running", map[string]int64{"runs": 1})
	add("2026-01-07", "web", "gate", "next_phase", map[string]int64{"hold": 1})
	add("2026-01-07", "web", "rule", "WP-4\nSAW-COMMIT-MAIN", map[string]int64{"violations": 2, "warnings": 1})
	add("2026-01-07", "", "break", "stuck_loop", map[string]int64{"hard": 1, "warranted": 1})
	add("2026-01-07", "", "nothing we know", "x", map[string]int64{"y": 1})
	return counts
}

var answers = []Answer{{"shop", "escalation", 90}, {"shop", "escalation", 30}, {"web", "escalation", 7200}, {"shop", "question", 4}}

func withRuns() Model {
	m := sample()
	m.AddRuns(runCounts(), answers)
	return m
}

// What was counted by day and project adds up in each list.
func TestRunsAddUp(t *testing.T) {
	m := withRuns()
	r := m.Runs
	require.Equal(t, []int{5, 3, 1, 68, 1}, []int{r.RunFigures.Runs, r.Completed, r.Halted, r.Evaluated, r.Failed})
	require.Equal(t, BreakFigures{Hard: 3, Soft: 1, Resumed: 1, Warranted: 1, NotWarranted: 1, Unclear: 1, TooEarly: 1}, r.Breaks)
	require.Equal(t, []int{4, 1, 2, 0, 1}, []int{r.Escalations.Raised, r.Escalations.Open, r.Escalations.Answered, r.Escalations.TimedOut, r.Escalations.Superseded})
	require.Equal(t, []int{2, 0, 1, 1}, []int{r.Questions.Raised, r.Questions.Open, r.Questions.Answered, r.Questions.TimedOut})
	require.InDelta(t, 90, *r.Escalations.MedianSeconds, 1e-9)
	require.InDelta(t, 60, *r.Projects[1].Escalations.MedianSeconds, 1e-9, "of two, their mean")
	require.Nil(t, r.Projects[0].Escalations.MedianSeconds)
	require.InDelta(t, 2.0/3, *r.Corrected.HelpedRate, 1e-9)
	require.Equal(t, GateFigures{Allowed: 5, Warned: 1, Denied: 2, Held: 1, Ahead: 3, Unanswered: 1}, r.GateAnswers)
	require.Equal(t, []RuleTally{{"WP-4", "SAW-COMMIT-MAIN", 2, 1}}, r.Rules)
	require.Equal(t, []string{"", "shop", "web"}, []string{r.Projects[0].Project, r.Projects[1].Project, r.Projects[2].Project})
	require.Equal(t, []string{"correct", "replace"}, []string{r.Corrections[0].Action, r.Corrections[1].Action}, "in the order of the ladder")
	sum := RunFigures{}
	for _, p := range r.Projects {
		sum.Runs, sum.Violations, sum.Breaks.Hard = sum.Runs+p.Runs, sum.Violations+p.Violations, sum.Breaks.Hard+p.Breaks.Hard
	}
	require.Equal(t, []int{5, 2, 3}, []int{sum.Runs, sum.Violations, sum.Breaks.Hard})
	require.Len(t, m.Days, 3, "a day with runs alone is a day, too")
	require.Equal(t, []int{1, 1}, []int{m.Days[1].Breaks, m.Days[2].Breaks})
	require.Equal(t, []int{5, 4}, []int{m.Figures.Runs, m.Figures.Breaks})
}

// Runs without sessions are watched; silence about them is no gap, an event that
// could not be evaluated is one (DP-33).
func TestRunsWithoutSessions(t *testing.T) {
	m := Build(nil, nil)
	require.True(t, gap(m))
	m.AddRuns(map[RunCount]int64{{"2026-01-05", "", "run", "", "events"}: 3, {"2026-01-05", "", "run", "", "runs"}: 1}, nil)
	require.False(t, gap(m))
	require.Equal(t, "0 turns received, 0 evaluated.", coverage(m)[0])
	require.Equal(t, "None.", nothing(m))
	m = Build(nil, nil)
	m.AddRuns(map[RunCount]int64{{"2026-01-05", "", "run", "", "events"}: 3, {"2026-01-05", "", "run", "", "failed"}: 1}, nil)
	require.True(t, gap(m))
	require.Equal(t, "Not watched: 1 event of runs.", nothing(m))
}

func TestLasting(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0s", 59: "59s", 60: "1m 00s", 3599: "59m 59s", 7380: "2h 03m", 90_000: "1d 01h"} {
		require.Equal(t, want, lasting(&seconds))
	}
	require.Equal(t, "–", lasting(nil))
}

// Zeros are not printed (CO-9b): events of a run that began before the period are no runs of it.
func TestNothingIsSaidOfNoRuns(t *testing.T) {
	r := &Runs{Projects: []Project{{}}}
	require.True(t, r.any())
	require.Empty(t, runsHeadline(r))
	require.True(t, projectTable(r).Nothing())
	r.Violations = 2
	require.Equal(t, "2 broken rules", runsHeadline(r))
}
