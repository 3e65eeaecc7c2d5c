package shadow

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// layerRules apply to an event in this order. At the end of a cycle, a phase or the run,
// boundaryRules run within them; the archetypes' shadows are listed in shadows.go.
var layerRules = run.List(
	sessionWorked,
	sessionOpened,
	deferredWarnings,

	runStarted,
	ticketReceived,
	agentSpawned,
	lessonsSpawned,
	promptTooLong,
	explorersSpawned,
	designerSpawned,
	agentStarted,
	lessonsRemembered,
	lessonsInjected,
	proposalPublished,
	testCompleted,

	phaseStarted,
	phaseCompleted,
	longPlan,
	cycleCompleted,

	workCompleted,
	reviewCompleted,
	lessonRepeated,
	findingsReported,
	findingsListed,
	designUnclaimed,
	designMade,
	designPlanned,
	workChanged,
	goldPlating,
	findingsAddressed,
	scopeCreep,
	workClosed,

	boundary,
	cycleEntered,
	runCompleted,
)

// boundaries lists the types of events at which a cycle or a phase may end: an event that
// names a later cycle ends the current one.
var boundaries = run.Types(runevents.TypeAgentCompleted, runevents.TypeReviewCompleted, runevents.TypePhaseStarted, runevents.TypePhaseCompleted, runevents.TypeCycleCompleted, runevents.TypeRunCompleted)

// boundaryRules apply at the end of a phase, a cycle and the run.
var boundaryRules = run.List(tunnelVision, echoChamber, tooManyTracked)

// longPlan is the first half of RW-13: the plan phase took more than twice as long as the
// do phase, reported when the do phase ends. The duration of a phase without a start is
// unknown.
var longPlan = Rule{ID: "RW-13", On: run.Types(runevents.TypePhaseCompleted), Run: func(c *Context) {
	if !c.phaseRan || c.phase.Name != doPhase {
		return
	}
	var plan, do *phaseTimes
	for i := range c.run.Phases {
		switch p := &c.run.Phases[i]; p.Name {
		case planPhase:
			plan = p
		case doPhase:
			do = p
		}
	}
	ratio := int64(c.config.System.PlanRatio)
	if plan == nil || do == nil || plan.Took <= 0 || do.Took <= 0 || plan.Took/ratio < do.Took || plan.Took <= ratio*do.Took {
		return
	}
	condition := held("plan_longer_than_do", sessionevents.SourceFields, 0, 0, "the plan phase took %s, the do phase %s", readable(plan.Took), readable(do.Took))
	condition.Value, condition.Limit = seconds(plan.Took), seconds(do.Took)*float64(ratio)
	c.reportSystem("RW-13", c.run.Cycle, []string{plan.Event, do.Event}, *condition)
}}

func seconds(n int64) float64 { return time.Duration(n).Seconds() }

func readable(n int64) string { return time.Duration(n).Round(time.Second).String() }

// explorersSpawned is the second half of RW-13: reported when an Explorer is spawned,
// since the research would continue otherwise.
var explorersSpawned = Rule{ID: "RW-13", On: run.Types(runevents.TypeAgentSpawned), Run: func(c *Context) {
	if c.agent.Archetype != explorer {
		return
	}
	c.run.Explorers = text.Newest(append(c.run.Explorers, c.Event.ID), c.config.Kept.Agents)
	limit := c.config.System.Explorers
	if len(c.run.Explorers) < limit {
		return
	}
	c.reportSystem("RW-13", c.run.Cycle, c.run.Explorers, *held("explorers_spawned", sessionevents.SourceFields, len(c.run.Explorers), limit,
		"an Explorer was spawned %d times", len(c.run.Explorers)))
}}

// reportSystem reports a system shadow once per cycle.
func (c *Context) reportSystem(rule string, cycle int, ids []string, because ...sessionevents.Condition) {
	if c.run.firstReport(rule+"/"+strconv.Itoa(cycle), c.config.Kept.Reported) {
		c.signal(notice{rule: rule, layer: sessionevents.LayerSystem, cycle: cycle, events: ids, because: because})
	}
}

// tunnelVision is RW-10: the findings of all reviewers are about one thing.
var tunnelVision = Rule{ID: "RW-10", On: boundaries, Run: func(c *Context) {
	category, findings, reviewers := "", 0, 0
	var ids []string
	for _, r := range c.run.reviewsOf(c.run.Cycle) {
		if len(r.Findings) == 0 {
			continue
		}
		for i := range r.Findings {
			own := strings.ToLower(r.Findings[i].Category)
			if category == "" {
				category = own
			}
			if own == "" || own != category {
				return // more than one, or unknown
			}
			findings++
		}
		reviewers++
		ids = append(ids, r.Events...)
	}
	limits := &c.config.System
	if findings < limits.CategoryFindings || reviewers < limits.CategoryReviewers {
		return
	}
	c.reportSystem("RW-10", c.run.Cycle, ids, *held("one_category", sessionevents.SourceFields, findings, limits.CategoryFindings,
		"all %d findings of %d reviewers are about %s", findings, reviewers, category))
}}

// echoChamber is RW-11: all reviewers approve, and none took enough time. A review of
// unknown length may have been long.
var echoChamber = Rule{ID: "RW-11", On: boundaries, Run: func(c *Context) {
	limits := &c.config.System
	if !oneOf(limits.ConsensusWorkflows, c.run.Workflow) {
		return
	}
	var longest int64
	var ids []string
	all := c.run.reviewsOf(c.run.Cycle)
	for _, r := range all {
		if !oneOf(c.config.Approving, r.Verdict) || r.DurationMS <= 0 {
			return
		}
		longest = max(longest, r.DurationMS)
		ids = append(ids, r.Events...)
	}
	if len(all) < limits.ConsensusReviewers || longest >= int64(limits.ConsensusSeconds)*1000 {
		return
	}
	consensus := held("fast_consensus", sessionevents.SourceFields, 0, limits.ConsensusSeconds, "%d reviewers approved, the longest review took %s s",
		len(all), strconv.FormatFloat(float64(longest)/1000, 'f', -1, 64))
	consensus.Value = float64(longest) / 1000
	c.reportSystem("RW-11", c.run.Cycle, ids, *consensus)
}}

// lessonsInjected folds lessons that were put into an agent's prompt.
var lessonsInjected = Rule{ID: "RW-14", Folds: true, On: run.Types(runevents.TypeMemoryInjected), Run: run.With(func(c *Context, d *runevents.MemoryInjected) {
	for _, l := range d.Lessons[:min(len(d.Lessons), maxFindings)] {
		one := lesson{ID: text.Valid(text.Head(l.ID, c.config.Kept.FindingBytes)), Finding: l.Finding, Event: c.Event.ID}
		if l.Finding == "" {
			one.Text = text.Valid(text.Head(l.Text, c.config.Kept.FindingBytes)) // the only description of it
		}
		for i := range c.run.Findings {
			if t := &c.run.Findings[i]; l.Finding != "" && t.Finding.ID == l.Finding {
				known := t.Finding
				one.Known = &known
			}
		}
		c.run.Lessons = slices.DeleteFunc(c.run.Lessons, func(o lesson) bool { return o.Finding == one.Finding && o.Text == one.Text })
		c.run.Lessons = text.Newest(append(c.run.Lessons, one), c.config.Kept.Lessons)
	}
})}

// lessonRepeated is RW-14: a finding is reported although a lesson about it had been
// injected.
var lessonRepeated = Rule{ID: "RW-14", On: run.Types(runevents.TypeAgentCompleted, runevents.TypeReviewCompleted, runevents.TypeCycleCompleted), Run: func(c *Context) {
	findings, cycle := c.findings, c.cycle
	var because []sessionevents.Condition
	ids := []string{}
	for _, f := range findings[:min(len(findings), maxFindings)] {
		f = c.config.normal(f)
		if f.State == stateFixed {
			continue
		}
		if l := c.lessonOf(&f); l != nil {
			source := sessionevents.SourceFields
			if l.Finding == "" {
				source = sessionevents.SourceText
			}
			because = append(because, *held("lesson_repeated", source, 1, 0, "finding %s came again although lesson %s had been injected", nameOf(&f), l.ID))
			ids = append(ids, l.Event)
		}
	}
	if len(because) > 0 {
		c.reportSystem("RW-14", cycle, append(ids, c.Event.ID), because...)
	}
}}

// lessonOf returns the lesson about a finding: by id, by the known finding that the
// lesson names or, if it names none, by the words of both.
func (c *Context) lessonOf(f *runevents.Finding) *lesson {
	concerns := c.config.compiled.concerns
	said := concerns.read(f.Text)
	for i := range c.run.Lessons {
		l := &c.run.Lessons[i]
		switch {
		case l.Finding == "":
			if l.Text != "" && concerns.saySame(concerns.read(l.Text), said) {
				return l
			}
		case l.Finding == f.ID:
			return l
		case l.Known != nil && f.ID == "" && samePlace(l.Known, f) && concerns.saySame(concerns.read(l.Known.Text), said):
			return l
		}
	}
	return nil
}

// Kinds of phases that RW-13 compares.
const (
	planPhase = "plan"
	doPhase   = "do"
)

// phaseStarted folds the start of a phase, which ends the one before it.
var phaseStarted = Rule{ID: "RW-13", Folds: true, On: run.Types(runevents.TypePhaseStarted), Run: run.With(func(c *Context, d *runevents.PhaseStarted) {
	c.boundary()
	c.cycleOf(d.Cycle)
	c.run.workflow(d.Workflow)
	if p := c.timesOf(d.Phase); p != nil && !p.Running {
		p.Running, p.Began = true, c.Event.Time.UnixNano()
	}
})}

// phaseCompleted folds the duration of a phase.
var phaseCompleted = Rule{ID: "RW-13", Folds: true, On: run.Types(runevents.TypePhaseCompleted), Run: run.With(func(c *Context, d *runevents.PhaseCompleted) {
	c.cycleOf(d.Cycle)
	c.run.workflow(d.Workflow)
	p := c.timesOf(d.Phase)
	if c.phase = p; p != nil && p.Running {
		c.phaseRan = true
		p.Running = false
		p.Took += max(0, c.Event.Time.UnixNano()-p.Began)
		p.Event = c.Event.ID
	}
})}

// workflow keeps a phase's workflow if it is the run's kind of workflow.
func (r *runState) workflow(name string) {
	if r.Workflow == "" && slices.Contains([]string{"quick", "standard", "thorough"}, name) {
		r.Workflow = name
	}
}

// timesOf returns the times of a kind of phase in this cycle, nil for any other kind.
func (c *Context) timesOf(name string) *phaseTimes {
	kind := ""
	switch {
	case oneOf(c.config.PlanPhases, name):
		kind = planPhase
	case oneOf(c.config.DoPhases, name):
		kind = doPhase
	default:
		return nil
	}
	for i := range c.run.Phases {
		if c.run.Phases[i].Name == kind {
			return &c.run.Phases[i]
		}
	}
	c.run.Phases = append(c.run.Phases, phaseTimes{Name: kind})
	return &c.run.Phases[len(c.run.Phases)-1]
}

// cycleCompleted folds the ending cycle, whose findings are the complete list.
var cycleCompleted = Rule{ID: "RW-14", Folds: true, On: run.Types(runevents.TypeCycleCompleted), Run: run.With(func(c *Context, d *runevents.CycleCompleted) {
	c.cycle, c.findings = c.cycleOf(d.Cycle), d.Findings
})}

// cycleEntered starts the next cycle.
var cycleEntered = Rule{ID: "RW-14", Folds: true, On: run.Types(runevents.TypeCycleCompleted), Run: func(c *Context) {
	c.run.enter(c.cycle + 1)
}}

// boundary applies the rules for the end of a phase, a cycle or the run.
var boundary = Rule{ID: "RW-10", Folds: true, On: run.Types(runevents.TypePhaseCompleted, runevents.TypeCycleCompleted, runevents.TypeRunCompleted), Run: (*Context).boundary}

func (c *Context) boundary() { boundaryRules.Run(c) }

// runStarted folds the run's task.
var runStarted = Rule{ID: "RW-10", Folds: true, On: run.Types(runevents.TypeRunStarted), Run: run.With(func(c *Context, d *runevents.RunStarted) {
	c.run.Project = cmp.Or(d.Project, d.Workspace)
	c.run.Workflow = d.Workflow
	c.run.Completed = false
	c.asked(d.Goal)
})}

// ticketReceived folds the run's task.
var ticketReceived = Rule{ID: "RW-10", Folds: true, On: run.Types(runevents.TypeTicketReceived), Run: run.With(func(c *Context, d *runevents.TicketReceived) {
	c.asked(d.Title + "\n" + d.Text)
})}

// asked adds a text to the run's task.
func (c *Context) asked(s string) {
	c.run.Task = text.Valid(text.Head(c.run.Task+"\n"+s, c.config.Kept.TextBytes))
}

// agentSpawned folds the declaration of an agent before it runs.
var agentSpawned = Rule{ID: "RW-1", Folds: true, On: run.Types(runevents.TypeAgentSpawned), Run: run.With(func(c *Context, d *runevents.AgentSpawned) {
	archetype := cmp.Or(archetypeOf(d.Archetype), archetypeOf(d.Role))
	c.agent = c.run.note(d.AgentID, archetype, "", c.config.Kept.Agents)
})}

// designerSpawned folds that a Creator is working.
var designerSpawned = Rule{ID: "RW-2", Folds: true, On: run.Types(runevents.TypeAgentSpawned), Run: func(c *Context) {
	if c.agent.Archetype == creator {
		c.run.Designer = &designer{Agent: c.agent, Cycle: c.run.Cycle, Waiting: true}
	}
}}

// agentStarted folds the session of an agent.
var agentStarted = Rule{ID: "RW-1", Folds: true, On: run.Types(runevents.TypeAgentStarted), Run: run.With(func(c *Context, d *runevents.AgentStarted) {
	c.run.note(d.AgentID, "", d.Session, c.config.Kept.Agents)
})}

// sessionOpened folds the agent of a session.
var sessionOpened = Rule{ID: "RW-1", Folds: true, On: run.Types(sessionevents.TypeSessionOpened), Run: run.With(func(c *Context, d *sessionevents.SessionOpened) {
	s := c.run.session(d.Session, c.config.Kept.Sessions)
	if d.Agent == nil {
		return
	}
	if d.Agent.ID != "" {
		s.AgentID = d.Agent.ID
	}
	c.run.note(d.Agent.ID, archetypeOf(d.Agent.Archetype), d.Session, c.config.Kept.Agents)
})}

// testCompleted folds the last test run that the agents did not do themselves.
var testCompleted = Rule{ID: "RW-3", Folds: true, On: run.Types(runevents.TypeTestCompleted), Run: func(c *Context) {
	c.run.TestsAt = c.Event.ID
}}

// cycleOf returns the cycle of an event: the one it names, which starts if it is later
// than the current one, otherwise the current one.
func (c *Context) cycleOf(said int) int {
	if said <= 0 {
		return c.run.Cycle
	}
	if said > c.run.Cycle {
		c.boundary()
		c.run.enter(said)
	}
	return said
}

// enter starts a cycle and resets the counts of a cycle. A completed cycle does not start
// again.
func (r *runState) enter(cycle int) {
	if cycle <= r.Cycle || cycle > maxCycle {
		return
	}
	r.Phases, r.Explorers, r.TestsAt = nil, nil, ""
	r.Cycle = cycle
	for i := range r.Reviews {
		r.Reviews[i].Findings = nil // tracked by now; the verdict is kept
	}
}

// maxCycle is a number that no run reaches; a larger one is an error.
const maxCycle = 1 << 30
