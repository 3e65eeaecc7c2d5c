package policy

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Quality is the quality of a task's work: the publisher's score, or the results of its
// tests and reviews (RW-20).
type Quality struct {
	Task      string         `json:"task,omitempty"`
	Score     *float64       `json:"score,omitempty"`
	Tested    bool           `json:"tested,omitempty"`
	Passed    bool           `json:"passed,omitempty"`   // the last test run
	Findings  int            `json:"findings,omitempty"` // open, CRITICAL and WARNING
	Rework    int            `json:"rework,omitempty"`   // rejected reviews, restarted phases
	Reviewers []run.Reviewer `json:"reviewers,omitempty"`
}

// quality collects what RW-20 compares; a task covers everything up to its
// task.completed.
var quality = Rule{
	ID: "RW-20", Folds: true,
	On: run.Types(runevents.TypeTestCompleted, runevents.TypePhaseStarted, runevents.TypeReviewCompleted, runevents.TypeAgentCompleted, runevents.TypeTaskCompleted),
	Run: func(c *Context) {
		checkpoint := &c.state.Checkpoint
		q := &checkpoint.Current
		switch data := c.Event.Data.(type) {
		case *runevents.TestCompleted:
			q.Tested, q.Passed = true, data.Passed
		case *runevents.PhaseStarted:
			if data.Attempt > 1 {
				q.Rework++
			}
		case *runevents.ReviewCompleted:
			c.review(q, data.Verdict, data.Findings, run.Reviewer{Name: data.Reviewer, Cycle: data.Cycle, Reviewed: true})
		case *runevents.AgentCompleted:
			if data.Verdict != "" || len(data.Findings) > 0 {
				c.review(q, data.Verdict, data.Findings, run.Reviewer{Name: data.AgentID, Archetype: data.Archetype, Cycle: data.Cycle, Completed: true})
			}
		case *runevents.TaskCompleted:
			q.Task, q.Score = data.Task, data.Quality
			if checkpoint.First == nil {
				first := *q
				checkpoint.First = &first
			}
			checkpoint.Last, checkpoint.Current = *q, Quality{}
		}
	},
}

// review counts one review by one reviewer once, whichever event reports it.
func (c *Context) review(q *Quality, verdict string, findings []runevents.Finding, by run.Reviewer) {
	if by.Cycle <= 0 {
		by.Cycle = c.state.Place.Cycle
	}
	if i := slices.IndexFunc(q.Reviewers, by.Same); i >= 0 {
		q.Reviewers[i] = q.Reviewers[i].Join(by)
		return
	}
	q.Reviewers = text.Newest(append(q.Reviewers, by), c.config.Kept.Agents)
	for _, finding := range c.config.Convergence.Open(c.config.trimmed(findings)) {
		if finding.Severity != runevents.SeverityInfo {
			q.Findings++
		}
	}
	if verdict == verdictRejected || verdict == verdictBlocking {
		q.Rework++
	}
}

// Verdicts of a review that send the work back.
const (
	verdictRejected = "rejected"
	verdictBlocking = "blocking"
)

// degraded describes how the last task's work is worse than the first's, "" if it is not
// or cannot be compared.
func (c *Context) degraded() string {
	checkpoint := &c.state.Checkpoint
	if checkpoint.First == nil || c.state.Place.Tasks < 2 {
		return ""
	}
	first, last := checkpoint.First, &checkpoint.Last
	switch {
	case first.Score != nil && last.Score != nil:
		if *last.Score < *first.Score {
			return fmt.Sprintf("quality fell from %s to %s", number(*first.Score), number(*last.Score))
		}
	case first.Tested && last.Tested && first.Passed && !last.Passed:
		return "the tests of the first task passed, those of the last one fail"
	case len(first.Reviewers) > 0 && len(last.Reviewers) > 0 &&
		last.Findings-first.Findings >= c.config.Checkpoint.FindingsMore && last.Rework-first.Rework >= c.config.Checkpoint.ReworkMore:
		return fmt.Sprintf("findings rose from %d to %d and rework from %d to %d", first.Findings, last.Findings, first.Rework, last.Rework)
	}
	return ""
}
