package shadow

import (
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// agentCompleted judges the work of an agent, then what it means for the run.
func (c *Context) agentCompleted(d *runevents.AgentCompleted) {
	a := c.run.note(d.AgentID, archetypeOf(d.Archetype), d.Session, c.config.Kept.Agents)
	k := c.gather(d, a, c.cycleOf(d.Cycle))
	switch {
	case slices.Contains(reviewers, a.Archetype) || d.Verdict != "":
		c.reviewerCompleted(d, k)
	case a.Archetype == creator:
		c.designed(k)
		c.reported(d.Findings, k.cycle)
	default:
		c.judge(k)
		c.reported(d.Findings, k.cycle)
	}
	if a.Archetype == maker {
		c.undesigned()
		c.made(d, k)
		c.run.TestsAt = "" // the next one has tests of its own to run
	} else if !slices.Contains(reviewers, a.Archetype) && d.Verdict == "" {
		c.change(k)
	}
	k.session.done()
}

// change adds what an agent changed to the change of the run.
func (c *Context) change(k *work) {
	for _, file := range k.files {
		c.run.Changed = c.addFile(c.run.Changed, file)
	}
	if k.lines > 0 && k.lines < 1<<30 && c.run.Lines < 1<<30 {
		c.run.Lines += k.lines
	}
}

// made judges what a Maker's work means for the run (RW-12, RW-16).
func (c *Context) made(d *runevents.AgentCompleted, k *work) {
	c.change(k)
	c.goldPlating(d, k)
	c.worked(d.Addresses)
	c.scopeCreep(k)
}

// reviewerCompleted joins the completion of a reviewer with its review: what is
// one review is told once, a reviewer that completes again is a new occurrence.
func (c *Context) reviewerCompleted(d *runevents.AgentCompleted, k *work) {
	r := c.review(k.agent, k.cycle)
	again := r.Completed
	verdict, findings, took := d.Verdict, d.Findings, milliseconds(d.DurationMS)
	if findings == nil && k.findingsFrom == fromText {
		findings = k.findings
	}
	if r.Reviewed && !again { // the review itself said it
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
	c.take(r, verdict, findings, took, c.Event.ID)
	r.Completed = true
	if r.Archetype == "" {
		r.Archetype = k.agent.Archetype
	}
	if d.Findings == nil && r.Reviewed && r.Listed && !again {
		k.findings, k.findingsFrom = r.Findings, fromFields
	}
	if !r.Told || again {
		told := c.judge(k)
		c.review(k.agent, k.cycle).Told = told
	}
	if findings != nil {
		c.reported(findings, k.cycle)
	}
}

// reviewCompleted judges a review; where its agent completed already, only what
// was not told then.
func (c *Context) reviewCompleted(d *runevents.ReviewCompleted) {
	a := c.reviewer(d.Reviewer)
	cycle := c.cycleOf(d.Cycle)
	r := c.review(a, cycle)
	if d.Cycle <= 0 && r.Reviewed { // one review a cycle counts once; without a cycle it is another one
		r.Earlier = true
		r = c.review(a, cycle)
	}
	first := !r.Reviewed
	c.take(r, d.Verdict, d.Findings, duration(d, c.Event.Time), c.Event.ID)
	r.Reviewed = true
	if first && !r.Told {
		k := &work{config: c.config, run: c.run, agent: a, cycle: cycle, events: slices.Clone(r.Events), success: true, proposal: c.run.Proposal}
		if r.Listed {
			k.findings, k.findingsFrom = r.Findings, fromFields
		}
		r.Told = c.judge(k)
	}
	c.reported(d.Findings, cycle)
}

// reviewer is the agent behind a review.
func (c *Context) reviewer(name string) agent {
	if a := c.run.agent(name); a != nil {
		if a.Archetype == "" {
			a.Archetype = archetypeOfReviewer(name)
		}
		return *a
	}
	return agent{ID: name, Archetype: archetypeOfReviewer(name)}
}

// reported folds findings that an event reports, and asks whether a lesson about
// them was in vain (RW-14).
func (c *Context) reported(findings []runevents.Finding, cycle int) {
	if len(findings) == 0 {
		return
	}
	c.cargoCult(findings, cycle)
	c.track(findings)
}
