package shadow

import (
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// review is one review by one reviewer in one cycle, whichever event reported it.
type review struct {
	Reviewer   string              `json:"reviewer"`
	Archetype  string              `json:"archetype,omitempty"`
	Session    string              `json:"session,omitempty"`
	Cycle      int                 `json:"cycle,omitempty"`
	Verdict    string              `json:"verdict,omitempty"`
	Findings   []runevents.Finding `json:"findings,omitempty"`
	Listed     bool                `json:"listed,omitempty"` // its findings are known, even if there are none
	DurationMS int64               `json:"duration_ms,omitempty"`
	Events     []string            `json:"events,omitempty"`
	// Reviewed and Completed are set by the events that reported it, Reported once its
	// shadow was reported.
	Reviewed  bool `json:"reviewed,omitempty"`
	Completed bool `json:"completed,omitempty"`
	Reported  bool `json:"told,omitempty"`
	// Earlier is set once the reviewer has reviewed again in this cycle.
	Earlier bool `json:"earlier,omitempty"`
}

// review returns the latest review of a reviewer and adds one if there is none.
func (c *Context) review(by agent, cycle int) *review {
	if r := c.run.review(by.ID, cycle); r != nil {
		return r
	}
	c.run.Reviews = text.Newest(append(c.run.Reviews, review{Reviewer: by.ID, Archetype: by.Archetype, Session: by.Session, Cycle: cycle}), c.config.Kept.Reviews)
	return &c.run.Reviews[len(c.run.Reviews)-1]
}

// review returns the latest review under a name, nil if there is none.
func (r *runState) review(name string, cycle int) *review {
	for i := range r.Reviews {
		if one := &r.Reviews[i]; one.Reviewer == name && one.Cycle == cycle && !one.Earlier {
			return one
		}
	}
	return nil
}

// knownAs returns the existing review that a report of another kind is about, under any
// of its names, since one review by one reviewer in one cycle counts once. It returns nil
// for a new one.
func (r *runState) knownAs(by run.Reviewer) *review {
	if one := r.review(by.Name, by.Cycle); one != nil {
		return one
	}
	for i := range r.Reviews {
		one := &r.Reviews[i]
		of := run.Reviewer{Name: one.Reviewer, Archetype: one.Archetype, Cycle: one.Cycle, Reviewed: one.Reviewed, Completed: one.Completed}
		if !one.Earlier && of.Same(by) {
			return one
		}
	}
	return nil
}

// take adds an event's report of the review. The review itself takes precedence over the
// completion of its agent, and a later report over an earlier one.
func (c *Config) take(r *review, verdict string, findings []runevents.Finding, took time.Duration, event string) {
	if verdict = strings.ToLower(strings.TrimSpace(verdict)); verdict != "" {
		r.Verdict = verdict
	}
	if findings != nil {
		r.Findings, r.Listed = c.shortened(findings), true
	}
	if took > 0 {
		r.DurationMS = took.Milliseconds()
	}
	r.Events = text.Newest(append(r.Events, event), 4)
}

// shortened cuts findings to the size that is stored.
func (c *Config) shortened(findings []runevents.Finding) []runevents.Finding {
	out := make([]runevents.Finding, 0, min(len(findings), maxFindings))
	for _, f := range findings[:min(len(findings), maxFindings)] {
		out = append(out, c.normal(f))
	}
	return out
}

// normal returns a finding with a normalized severity and shortened texts.
func (c *Config) normal(f runevents.Finding) runevents.Finding {
	limit := c.Kept.FindingBytes
	f.Severity = c.severity(f.Severity)
	for _, s := range []*string{&f.Text, &f.Fix, &f.Repro, &f.Category, &f.File, &f.ID} {
		*s = text.Valid(text.Head(strings.TrimSpace(*s), limit))
	}
	f.State = strings.ToLower(f.State)
	return f
}

// severity returns a severity in the contract's words: WorkRail's critical and major are
// CRITICAL, minor is WARNING, nit is INFO.
func (c *Config) severity(s runevents.Severity) runevents.Severity {
	word := strings.ToLower(strings.TrimSpace(string(s)))
	for _, known := range c.Severities {
		for _, one := range known.Words {
			if one == word {
				return known.Severity
			}
		}
	}
	return runevents.Severity(strings.ToUpper(word))
}

// duration returns the duration of a review, 0 if unknown.
func duration(d *runevents.ReviewCompleted, at time.Time) time.Duration {
	if d.DurationMS > 0 {
		return milliseconds(d.DurationMS)
	}
	began, err := time.Parse(time.RFC3339, d.StartedAt)
	if err != nil || !began.Before(at) {
		return 0
	}
	return at.Sub(began)
}

// milliseconds converts a publisher's figure; one that no duration can hold counts as
// unknown.
func milliseconds(n int64) time.Duration {
	if n <= 0 || n > int64(1<<62)/int64(time.Millisecond) {
		return 0
	}
	return time.Duration(n) * time.Millisecond
}

// reviewsOf returns the reviews of a cycle that have content.
func (r *runState) reviewsOf(cycle int) []*review {
	var out []*review
	for i := range r.Reviews {
		if one := &r.Reviews[i]; one.Cycle == cycle && !one.Earlier && (one.Verdict != "" || len(one.Findings) > 0) {
			out = append(out, one)
		}
	}
	return out
}
