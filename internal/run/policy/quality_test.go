package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// checkpointAfter plays two tasks, one more that nothing is said of, and gives why
// the checkpoint that follows stops the run, "" where it goes on.
func checkpointAfter(p *player, first, last []any) string {
	p.config.Checkpoint.Tasks = 2
	p.feed(append(first, &runevents.TaskCompleted{Task: "first", Outcome: "success"})...)
	return stops(p.feed(append(last, &runevents.TaskCompleted{Task: "last", Outcome: "success"})...))
}

func stops(out []events.Event) string {
	for _, policy := range of[runevents.PolicyCheckpoint](out) {
		if policy.Decision == "stop" {
			return policy.Why
		}
	}
	return ""
}

func reviewBy(name, verdict string, severities ...runevents.Severity) *runevents.ReviewCompleted {
	review := &runevents.ReviewCompleted{Reviewer: name, Verdict: verdict}
	for i, severity := range severities {
		review.Findings = append(review.Findings, runevents.Finding{ID: string(rune('A' + i)), Severity: severity})
	}
	return review
}

// RW-20: a checkpoint stops where the last task's work is worse than the first's:
// the publisher's score, else the tests, else findings and rework.
func TestQualityAtTheCheckpoint(t *testing.T) {
	const (
		crit = runevents.SeverityCritical
		warn = runevents.SeverityWarning
		info = runevents.SeverityInfo
	)
	passes, fails := &runevents.TestCompleted{Passed: true}, &runevents.TestCompleted{}
	good := reviewBy("guardian", "approved", crit)
	repeats := &runevents.PhaseStarted{Phase: "do", Attempt: 2}
	for name, test := range map[string]struct {
		first, last []any
		want        string
	}{
		"nothing known":                       {nil, nil, ""},
		"tests fail now":                      {[]any{passes}, []any{fails}, "2 tasks completed: the tests of the first task passed, those of the last one fail."},
		"tests pass again before the end":     {[]any{passes}, []any{fails, passes}, ""},
		"tests failed before too":             {[]any{fails}, []any{fails}, ""},
		"no tests at first":                   {nil, []any{fails}, ""},
		"no tests at last":                    {[]any{passes}, nil, ""},
		"two findings more and a rejection":   {[]any{good}, []any{reviewBy("guardian", "rejected", crit, warn, warn)}, "2 tasks completed: findings rose from 1 to 3 and rework from 0 to 1."},
		"a blocking review counts likewise":   {[]any{good}, []any{reviewBy("guardian", "blocking", crit, warn, warn)}, "2 tasks completed: findings rose from 1 to 3 and rework from 0 to 1."},
		"a repeated phase is rework":          {[]any{good}, []any{repeats, reviewBy("guardian", "approved", crit, warn, warn)}, "2 tasks completed: findings rose from 1 to 3 and rework from 0 to 1."},
		"a first attempt is none":             {[]any{good}, []any{&runevents.PhaseStarted{Phase: "do", Attempt: 1}, reviewBy("guardian", "approved", crit, warn, warn)}, ""},
		"one finding more":                    {[]any{good}, []any{reviewBy("guardian", "rejected", crit, warn)}, ""},
		"findings more without rework":        {[]any{good}, []any{reviewBy("guardian", "approved", crit, warn, warn)}, ""},
		"as much rework as at first":          {[]any{reviewBy("guardian", "rejected", crit)}, []any{reviewBy("guardian", "rejected", crit, warn, warn)}, ""},
		"INFO does not count":                 {[]any{good}, []any{reviewBy("guardian", "rejected", crit, warn, info)}, ""},
		"no review at first":                  {nil, []any{reviewBy("guardian", "rejected", crit, warn, warn)}, ""},
		"one reviewer counts once":            {[]any{good}, []any{reviewBy("guardian", "rejected", crit, warn), reviewBy("guardian", "rejected", crit, warn)}, ""},
		"two reviewers count each":            {[]any{good}, []any{reviewBy("guardian", "rejected", crit, warn), reviewBy("sage", "approved", crit)}, "2 tasks completed: findings rose from 1 to 3 and rework from 0 to 1."},
		"an agent's verdict is a review":      {[]any{good}, []any{&runevents.AgentCompleted{AgentID: "g", Outcome: "success", Verdict: "rejected", Findings: reviewBy("", "", crit, warn, warn).Findings}}, "2 tasks completed: findings rose from 1 to 3 and rework from 0 to 1."},
		"an agent's findings are a review":    {[]any{good}, []any{repeats, &runevents.AgentCompleted{AgentID: "g", Outcome: "success", Findings: reviewBy("", "", crit, warn, warn).Findings}}, "2 tasks completed: findings rose from 1 to 3 and rework from 0 to 1."},
		"an agent that says neither is none":  {[]any{&runevents.AgentCompleted{AgentID: "g", Outcome: "success"}}, []any{reviewBy("guardian", "rejected", crit, warn, warn)}, ""},
		"a closed finding is not open":        {[]any{good}, []any{&runevents.ReviewCompleted{Reviewer: "guardian", Verdict: "rejected", Findings: []runevents.Finding{{ID: "A", Severity: crit}, {ID: "B", Severity: crit}, {ID: "C", Severity: crit, State: "fixed"}}}}, ""},
		"tests outrank what reviews say":      {[]any{passes, good}, []any{fails, reviewBy("guardian", "rejected", crit, warn, warn)}, "2 tasks completed: the tests of the first task passed, those of the last one fail."},
		"equal tests leave it to the reviews": {[]any{passes, good}, []any{passes, reviewBy("guardian", "rejected", crit, warn, warn)}, "2 tasks completed: findings rose from 1 to 3 and rework from 0 to 1."},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, checkpointAfter(newPlayer(t), test.first, test.last))
		})
	}
}

// RW-20: the publisher's scores decide where both tasks have one.
func TestScoresAtTheCheckpoint(t *testing.T) {
	score := func(v float64) *float64 { return &v }
	for name, test := range map[string]struct {
		first, last *float64
		want        string
	}{
		"lower":            {score(0.9), score(0.89), "2 tasks completed: quality fell from 0.9 to 0.89."},
		"equal":            {score(0.9), score(0.9), ""},
		"higher":           {score(0.8), score(0.9), ""},
		"none at first":    {nil, score(0.1), "2 tasks completed: the tests of the first task passed, those of the last one fail."},
		"none at last":     {score(0.9), nil, "2 tasks completed: the tests of the first task passed, those of the last one fail."},
		"higher, but fail": {score(0.1), score(0.9), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.config.Checkpoint.Tasks = 2
			if test.want == "" || test.first == nil || test.last == nil {
				p.feed(&runevents.TestCompleted{Passed: true})
			}
			p.feed(&runevents.TaskCompleted{Outcome: "success", Quality: test.first}, &runevents.TestCompleted{})
			out := p.feed(&runevents.TaskCompleted{Outcome: "success", Quality: test.last})
			require.Equal(t, test.want, stops(out))
			require.Equal(t, test.want != "", len(of[runevents.WiggumBreak](out)) == 1, "a stop is a break")
		})
	}
}
