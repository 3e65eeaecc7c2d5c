package shadow

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow/reading"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RW-2: the Creator's Over-Architect. The proposal's own figures take precedence over the
// words of the output.

// tooManyAbstractions counts new abstractions (RW-2).
func tooManyAbstractions(k *work) *sessionevents.Condition {
	limit := k.config.Creator.Abstractions
	n, source := k.proposed(func(p *proposal) *int { return p.Abstractions }, k.abstractions)
	if n <= limit {
		return nil
	}
	return held("too_many_abstractions", source, n, limit, "%d new abstractions for one feature", n)
}

// abstractions counts the new abstractions in a plan's text: by name in a sentence that
// announces some, by item in a list of new ones.
func (k *work) abstractions() int {
	if k.report == nil {
		return 0
	}
	n := 0
	var names []string
	for _, sentence := range k.say(&k.config.Words.Abstractions) {
		found := k.config.AbstractionNames.FindAllString(sentence, -1)
		if len(found) == 0 {
			n++
		}
		names = append(names, found...)
	}
	listed := false
	for line := range strings.Lines(k.report.Text) {
		line = strings.TrimSpace(line)
		switch item := strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* "); {
		case listed && item && len(k.config.AbstractionNames.FindAllString(line, 1)) > 0:
			names = append(names, k.config.AbstractionNames.FindAllString(line, 1)[0])
		case listed && item:
			n++
		case line != "":
			listed = k.config.AbstractionLists.MatchString(line)
		}
	}
	return n + len(distinct(names))
}

// tooManyPackages counts new packages (RW-2).
func tooManyPackages(k *work) *sessionevents.Condition {
	limit := k.config.Creator.Packages
	n, source := k.proposed(func(p *proposal) *int { return p.Packages }, func() int { return len(k.say(&k.config.Words.NewPackages)) })
	if n <= limit {
		return nil
	}
	return held("too_many_packages", source, n, limit, "%s", text.Count(n, "new package"))
}

// proposed returns a figure of the proposal, or counts it in the output if the proposal
// has none.
func (k *work) proposed(field func(*proposal) *int, inText func() int) (n int, source sessionevents.ConditionSource) {
	if k.proposal != nil {
		if value := field(k.proposal); value != nil {
			return *value, sessionevents.SourceFields
		}
	}
	return inText(), sessionevents.SourceText
}

// futureProof looks for "future-proof" in the rationale (RW-2).
func futureProof(k *work) *sessionevents.Condition {
	said := k.say(&k.config.Words.FutureProof)
	if len(said) == 0 {
		return nil
	}
	return held("future_proof", sessionevents.SourceText, len(said), 0, "the rationale wants to be future-proof")
}

// scopeExceedsTask compares the proposal's words with the task's, and its files with
// those that the task names, as far as they are given (RW-2).
func scopeExceedsTask(k *work) *sessionevents.Condition {
	p := k.proposal
	if p == nil {
		return nil
	}
	percent := k.config.Creator.ScopePercent
	exceeds := func(n, task int) bool { return task > 0 && n*100 > task*(100+percent) }
	if p.Words != nil && p.TaskWords != nil && exceeds(*p.Words, *p.TaskWords) {
		return held("scope_exceeds_task", sessionevents.SourceFields, over(*p.Words, *p.TaskWords), percent,
			"the proposal has %d words for a task of %d", *p.Words, *p.TaskWords)
	}
	if named := len(k.config.compiled.files.Find(k.run.Task)); exceeds(len(p.Files), named) {
		return held("scope_exceeds_task", sessionevents.SourceFields, over(len(p.Files), named), percent,
			"the proposal has %s and the task names %d", text.Count(len(p.Files), "file"), named)
	}
	return nil
}

// over returns the percentage by which n exceeds base.
func over(n, base int) int { return (n - base) * 100 / base }

// proposalPublished folds a proposal. If its Creator has already completed, it is
// evaluated now (RW-2), since the figures were missing then.
var proposalPublished = Rule{ID: "RW-2", Folds: true, On: run.Types(runevents.TypeProposalPublished), Run: run.With(func(c *Context, d *runevents.ProposalPublished) {
	p := &proposal{Event: c.Event.ID, Cycle: c.run.Cycle, Abstractions: d.Abstractions, Packages: d.Packages, Words: d.Words, TaskWords: d.TaskWords}
	for _, name := range d.Files {
		p.Files = c.config.addFile(p.Files, name)
	}
	c.run.Proposal, c.run.Made, c.run.MadeEvents = p, nil, nil
	by := c.run.Designer
	if by == nil || by.Waiting || by.Reported || by.Cycle != c.run.Cycle || by.Judged != "" {
		return
	}
	p.Judged, by.Judged = true, p.Event
	by.Reported = c.judge(&work{config: c.config, run: c.run, agent: by.Agent, cycle: by.Cycle, events: []string{by.Event, p.Event}, success: true, proposal: p})
})}

// designed evaluates a Creator with the proposal of this cycle, if there is one.
func (c *Context) designed(k *work) {
	p := c.run.Proposal
	if p == nil || p.Judged {
		k.proposal = nil
	} else {
		k.events = append(k.events, p.Event)
		p.Judged = true
	}
	told := c.judge(k)
	c.run.Designer = &designer{Agent: k.agent, Cycle: k.cycle, Event: c.Event.ID, Reported: told}
	if k.proposal != nil {
		c.run.Designer.Judged = p.Event
	}
	c.proposeFromText(k)
}

// proposeFromText uses the files that a plan names as the proposal if no event listed
// them (RW-3, RW-16).
func (c *Context) proposeFromText(k *work) {
	p := c.run.Proposal
	if !k.success || k.report == nil || p != nil && !p.FromText && p.Cycle >= k.cycle && len(p.Files) > 0 {
		return
	}
	plan := &proposal{Event: c.Event.ID, Cycle: k.cycle, Judged: true, FromText: true}
	s := k.planned()
	for _, place := range c.config.compiled.files.Find(s) {
		plan.Files = c.config.addFile(plan.Files, place.Path)
	}
	for _, folder := range reading.Folders(s) {
		plan.Files, plan.Open = text.Newest(append(plan.Files, folder), c.config.Kept.Files), true
	}
	if len(plan.Files) > 0 {
		c.run.Proposal, c.run.Made, c.run.MadeEvents = plan, nil, nil
	}
}

// planned returns the text of a plan without the sentences about what stays unchanged.
func (k *work) planned() string {
	d := k.report.Document
	text := []byte(k.report.Text)
	for _, span := range d.Sentences() {
		if !k.config.Words.LeftAlone.In(d.Text[span.From:span.To]) {
			continue
		}
		offset, length := d.SourceSpan(span)
		for i := offset; i < min(offset+length, len(text)); i++ {
			text[i] = ' '
		}
	}
	return string(text)
}

// designUnclaimed, designMade and designPlanned evaluate a proposal whose Creator is
// unknown once others continue with it (RW-2).
var (
	designUnclaimed = Rule{ID: "RW-2", Folds: true, On: run.Types(runevents.TypeCycleCompleted, runevents.TypeRunCompleted), Run: (*Context).undesigned}
	designMade      = Rule{ID: "RW-2", Folds: true, On: run.Types(runevents.TypeAgentCompleted), Run: making(func(c *Context, _ *runevents.AgentCompleted) { c.undesigned() })}
	designPlanned   = Rule{ID: "RW-2", Folds: true, On: run.Types(runevents.TypePhaseCompleted), Run: func(c *Context) {
		if c.phase != nil && c.phase.Name == planPhase && c.run.Designer == nil {
			c.undesigned()
		}
	}}
)

// undesigned evaluates a proposal whose Creator is unknown; it is still a Creator's work.
func (c *Context) undesigned() {
	p := c.run.Proposal
	if p == nil || p.Judged {
		return
	}
	p.Judged = true
	by := agent{Archetype: creator}
	if c.run.Designer != nil {
		by = c.run.Designer.Agent
	}
	c.judge(&work{config: c.config, run: c.run, agent: by, cycle: p.Cycle, events: []string{p.Event}, success: true, proposal: p})
}
