package shadow

import (
	"cmp"
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// workCompleted evaluates the work of an agent (RW-1 … RW-7).
var workCompleted = Rule{ID: "RW-8", Folds: true, On: run.Types(runevents.TypeAgentCompleted), Run: run.With(func(c *Context, d *runevents.AgentCompleted) {
	c.agent = c.run.note(d.AgentID, archetypeOf(d.Archetype), d.Session, c.config.Kept.Agents)
	c.cycle = c.cycleOf(d.Cycle)
	c.work = c.gather(d, c.agent, c.cycle)
	c.findings = d.Findings
	switch {
	case c.agent.reviews(d):
		c.findings = c.reviewerCompleted(d, c.work)
	case c.agent.Archetype == creator:
		c.designed(c.work)
	default:
		c.judge(c.work)
	}
})}

// reviews reports whether a completed agent is a reviewer.
func (a agent) reviews(d *runevents.AgentCompleted) bool {
	return slices.Contains(reviewers, a.Archetype) || d.Verdict != ""
}

// workChanged folds an agent's changes.
var workChanged = Rule{ID: "RW-16", Folds: true, On: run.Types(runevents.TypeAgentCompleted), Run: run.With(func(c *Context, d *runevents.AgentCompleted) {
	if c.agent.Archetype == maker || !c.agent.reviews(d) {
		c.change(c.work)
	}
})}

// making adapts a rule about the work of a Maker.
func making(handle func(*Context, *runevents.AgentCompleted)) func(*Context) {
	return run.With(func(c *Context, d *runevents.AgentCompleted) {
		if c.agent.Archetype == maker {
			handle(c, d)
		}
	})
}

// findingsAddressed folds the findings that a Maker worked on.
var findingsAddressed = Rule{ID: "RW-12", Folds: true, On: run.Types(runevents.TypeAgentCompleted), Run: making(func(c *Context, d *runevents.AgentCompleted) {
	c.run.worked(d.Addresses)
})}

// workClosed folds the end of a piece of work.
var workClosed = Rule{ID: "RW-3", Folds: true, On: run.Types(runevents.TypeAgentCompleted), Run: run.With(func(c *Context, _ *runevents.AgentCompleted) {
	if c.agent.Archetype == maker {
		c.run.TestsAt = "" // the next piece of work has its own test runs
	}
	c.work.session.done()
})}

// change adds an agent's changes to the change of the run.
func (c *Context) change(k *work) {
	for _, file := range k.files {
		c.run.Changed = c.config.addFile(c.run.Changed, file)
	}
	if k.lines > 0 && k.lines < 1<<30 && c.run.Lines < 1<<30 {
		c.run.Lines += k.lines
	}
}

// reviewerCompleted merges the completion of a reviewer with its review: the same review
// is reported once, and a reviewer that completes again is a new occurrence. It returns
// the new findings.
func (c *Context) reviewerCompleted(d *runevents.AgentCompleted, k *work) []runevents.Finding {
	if known := c.run.knownAs(run.Reviewer{Name: k.agent.ID, Archetype: k.agent.Archetype, Cycle: k.cycle, Completed: true}); known != nil {
		known.Reviewer = k.agent.ID // the review may have been reported under the name of the archetype
	}
	r := c.review(k.agent, k.cycle)
	again := r.Completed
	verdict, findings, took := d.Verdict, d.Findings, milliseconds(d.DurationMS)
	if findings == nil && k.findingsFrom == sessionevents.SourceText {
		findings = k.findings
	}
	if r.Reviewed && !again { // already reported by the review itself
		if r.Verdict != "" {
			verdict = ""
		}
		if r.Listed {
			findings = nil
		}
		if r.DurationMS > 0 {
			took = 0
		}
		k.events = append(slices.Clone(r.Events), k.events...)
	}
	c.config.take(r, verdict, findings, took, c.Event.ID)
	r.Completed = true
	if r.Archetype == "" {
		r.Archetype = k.agent.Archetype
	}
	if d.Findings == nil && r.Reviewed && r.Listed && !again {
		k.findings, k.findingsFrom = r.Findings, sessionevents.SourceFields
	}
	if !r.Reported || again {
		told := c.judge(k)
		c.review(k.agent, k.cycle).Reported = told
	}
	return findings
}

// reviewCompleted evaluates a review (RW-4 … RW-7). If its agent has already completed,
// only what was not reported then is evaluated.
var reviewCompleted = Rule{ID: "RW-8", Folds: true, On: run.Types(runevents.TypeReviewCompleted), Run: run.With(func(c *Context, d *runevents.ReviewCompleted) {
	cycle := c.cycleOf(d.Cycle)
	a := c.run.reviewer(d.Reviewer)
	if known := c.run.knownAs(run.Reviewer{Name: d.Reviewer, Archetype: a.Archetype, Cycle: cycle, Reviewed: true}); known != nil && known.Reviewer != d.Reviewer {
		a = c.run.reviewer(known.Reviewer) // reported by the completion of its agent
		a.Archetype = cmp.Or(a.Archetype, known.Archetype)
	}
	c.cycle, c.findings = cycle, d.Findings
	r := c.review(a, cycle)
	if d.Cycle <= 0 && r.Reviewed { // one review per cycle counts once; without a cycle it is a new one
		r.Earlier = true
		r = c.review(a, cycle)
	}
	first := !r.Reviewed
	c.config.take(r, d.Verdict, d.Findings, duration(d, c.Event.Time), c.Event.ID)
	r.Reviewed = true
	if first && !r.Reported {
		k := &work{config: c.config, run: c.run, agent: a, cycle: cycle, events: slices.Clone(r.Events), success: true, proposal: c.run.Proposal}
		if r.Listed {
			k.findings, k.findingsFrom = r.Findings, sessionevents.SourceFields
		}
		r.Reported = c.judge(k)
	}
})}

// reviewer returns the agent of a review.
func (r *runState) reviewer(name string) agent {
	if a := r.agent(name); a != nil {
		if a.Archetype == "" {
			a.Archetype = archetypeOfReviewer(name)
		}
		return *a
	}
	return agent{ID: name, Archetype: archetypeOfReviewer(name)}
}

// findingsReported folds the findings of an agent or a review.
var findingsReported = Rule{ID: "RW-14", Folds: true, On: run.Types(runevents.TypeAgentCompleted, runevents.TypeReviewCompleted), Run: func(c *Context) {
	c.track(c.findings)
}}

// findingsListed folds the findings of a whole cycle: all others are gone.
var findingsListed = Rule{ID: "RW-14", Folds: true, On: run.Types(runevents.TypeCycleCompleted), Run: run.With(func(c *Context, d *runevents.CycleCompleted) {
	if d.Findings != nil {
		c.listed(d.Findings)
	}
})}
