package shadow

import (
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// agentCompleted judges the work of an agent, then what it means for the run.
func (w *watcher) agentCompleted(d *runevents.AgentCompleted) {
	a := w.run.note(d.AgentID, archetypeOf(d.Archetype), d.Session, w.config.Kept.Agents)
	k := w.gather(d, a, w.cycleOf(d.Cycle))
	switch {
	case slices.Contains(reviewers, a.Archetype) || d.Verdict != "":
		w.reviewerCompleted(d, k)
	case a.Archetype == creator:
		w.designed(k)
		w.reported(d.Findings, k.cycle)
	default:
		w.judge(k)
		w.reported(d.Findings, k.cycle)
	}
	if a.Archetype == maker {
		w.undesigned()
		w.made(d, k)
		w.run.TestsAt = "" // the next one has tests of its own to run
	} else if !slices.Contains(reviewers, a.Archetype) && d.Verdict == "" {
		w.change(k)
	}
	k.session.done()
}

// change adds what an agent changed to the change of the run.
func (w *watcher) change(k *work) {
	for _, file := range k.files {
		w.run.Changed = w.addFile(w.run.Changed, file)
	}
	if k.lines > 0 && k.lines < 1<<30 && w.run.Lines < 1<<30 {
		w.run.Lines += k.lines
	}
}

// made judges what a Maker's work means for the run (RW-12, RW-16).
func (w *watcher) made(d *runevents.AgentCompleted, k *work) {
	w.change(k)
	w.goldPlating(d, k)
	w.worked(d.Addresses)
	w.scopeCreep(k)
}

// reviewerCompleted joins the completion of a reviewer with its review: what is
// one review is told once, a reviewer that completes again is a new occurrence.
func (w *watcher) reviewerCompleted(d *runevents.AgentCompleted, k *work) {
	r := w.review(k.agent, k.cycle)
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
	w.take(r, verdict, findings, took, w.in.Event.ID)
	r.Completed = true
	if r.Archetype == "" {
		r.Archetype = k.agent.Archetype
	}
	if d.Findings == nil && r.Reviewed && r.Listed && !again {
		k.findings, k.findingsFrom = r.Findings, fromFields
	}
	if !r.Told || again {
		told := w.judge(k)
		w.review(k.agent, k.cycle).Told = told
	}
	if findings != nil {
		w.reported(findings, k.cycle)
	}
}

// reviewCompleted judges a review; where its agent completed already, only what
// was not told then.
func (w *watcher) reviewCompleted(d *runevents.ReviewCompleted) {
	a := w.reviewer(d.Reviewer)
	cycle := w.cycleOf(d.Cycle)
	r := w.review(a, cycle)
	if d.Cycle <= 0 && r.Reviewed { // one review a cycle counts once; without a cycle it is another one
		r.Earlier = true
		r = w.review(a, cycle)
	}
	first := !r.Reviewed
	w.take(r, d.Verdict, d.Findings, duration(d, w.in.Event.Time), w.in.Event.ID)
	r.Reviewed = true
	if first && !r.Told {
		k := &work{config: w.config, run: w.run, agent: a, cycle: cycle, events: slices.Clone(r.Events), success: true, proposal: w.run.Proposal}
		if r.Listed {
			k.findings, k.findingsFrom = r.Findings, fromFields
		}
		r.Told = w.judge(k)
	}
	w.reported(d.Findings, cycle)
}

// reviewer is the agent behind a review.
func (w *watcher) reviewer(name string) agent {
	if a := w.run.agent(name); a != nil {
		if a.Archetype == "" {
			a.Archetype = archetypeOfReviewer(name)
		}
		return *a
	}
	return agent{ID: name, Archetype: archetypeOfReviewer(name)}
}

// reported folds findings that an event reports, and asks whether a lesson about
// them was in vain (RW-14).
func (w *watcher) reported(findings []runevents.Finding, cycle int) {
	if len(findings) == 0 {
		return
	}
	w.cargoCult(findings, cycle)
	w.track(findings)
}
