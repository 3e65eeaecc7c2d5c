package pipeline

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// layerRules are applied to an event in this order.
var layerRules = run.List(
	turnedOn,

	runStarted,
	outsideHours,
	goalAsked,
	runAnnounced,
	runResumed,
	lastStepAtEnd,
	checklistAtEnd,
	runCompleted,

	lastStepBefore,
	fixLoop,
	phaseLost,
	phaseAsked,
	phaseRepeated,
	phaseStarted,

	phaseClosed,
	phaseWithoutAllow,
	artifactsOwed,
	fieldsBeforeFailure,
	resultClaimed,
	phaseHandedOver,
	handoverEscalated,
	planIncomplete,
	checklistShaped,
	slicesCompleted,
	sessionsAdvanced,

	contractRegistered,
	loopControl,
	contextTooLarge,
	contextCut,
	contextUnsaved,

	agentContext,
	agentContaminated,
	agentStarved,
	reviewerInformed,
	agentSpawned,
	agentInWorktree,
	worktreeDeclared,
	phaseAgentEnded,
	agentCitations,
	agentSlice,
	agentAtRest,
	agentWithoutAllow,
	agentJudged,
	reviewCitations,
	reviewJudged,
	checklistUnreported,
	checklistFailed,
	taskSlice,

	scopeMiscounted,
	completeWithOpenItems,
	scopeCreep,
	creepSignalled,
	ticketAsked,
	filesProposed,
	markdownCommitted,

	mergeAsked,
	mergedInSpite,
	handoverWaived,
	nextPhaseAsked,
	spawnAsked,
	mergeAskedAhead,

	planEdited,
	sessionActive,
	blindRead,
	delegated,
	taskAsked,
	sessionOpened,
	sessionClosed,
	waivedByAct,

	workspaceNotified,
	overlapAsked,
	resumeAnswered,
	sessionSilent,
)

// agentInWorktree and worktreeDeclared fold that the run declares a worktree: its
// branch is known from there (PL-6).
var (
	agentInWorktree = Rule{ID: "PL-6", Folds: true, On: run.Types(runevents.TypeAgentStarted), Run: run.With(func(c *Context, d *runevents.AgentStarted) {
		c.run.OwnWorktree = c.run.OwnWorktree || d.Isolation == "worktree"
	})}
	worktreeDeclared = Rule{ID: "PL-6", Folds: true, On: run.Types(runevents.TypeWorktreeCreated), Run: func(c *Context) {
		c.run.OwnWorktree = true
	}}
)

// planIncomplete is PL-38a: a plan that somebody else can carry out without guessing
// says what is not done, what must stay true, what was decided against and what can go
// wrong. Where the notes name a document the plan may be in there, which nobody saw.
var planIncomplete = Rule{ID: "PL-38a", On: run.Types(runevents.TypePhaseCompleted), Run: ending(func(c *Context,
	d *runevents.PhaseCompleted,
) {
	if !c.config.pipelineWorkflow(c.phase.Workflow) || !has(d.Phase, c.config.PlanContents.Phases) {
		return
	}
	text := d.Notes
	for _, a := range d.Artifacts {
		text += "\n" + string(document(a))
	}
	if strings.TrimSpace(text) == "" || c.config.PlanContents.Documents.MatchString(text) {
		return
	}
	var missing []string
	for _, part := range c.config.PlanContents.Parts {
		if !part.Words.MatchString(text) {
			missing = append(missing, part.Name)
		}
	}
	if len(missing) > 0 {
		c.warning(c.phaseJudgement("PLAN-INCOMPLETE", "PL-38a", d.Phase,
			"The plan that phase %s hands over does not cover %s.", short(d.Phase), strings.Join(missing, ", ")))
	}
})}

// fixLoop counts what begins again after a handover that was not full (PL-3).
var fixLoop = Rule{ID: "PL-3", On: run.Types(runevents.TypePhaseStarted), Run: starting(func(c *Context, d *runevents.PhaseStarted) {
	chain := c.run.Degraded
	if len(chain) == 0 {
		return
	}
	last := &chain[len(chain)-1]
	if has(d.Phase, c.config.Phases.Fix) || d.Attempt > 1 || d.Cycle > max(1, last.Cycle) {
		last.FixLoops++
	}
})}

// agentCitations is PL-3 for what an agent found.
var agentCitations = Rule{ID: "PL-3", On: run.Types(runevents.TypeAgentCompleted), Run: run.With(func(c *Context, d *runevents.AgentCompleted) {
	c.citations(d.Findings)
})}

// reviewCitations is PL-3 for what a review found.
var reviewCitations = Rule{ID: "PL-3", On: run.Types(runevents.TypeReviewCompleted), Run: run.With(func(c *Context, d *runevents.ReviewCompleted) {
	c.citations(d.Findings)
})}

// citations counts findings that say context was missing (PL-3).
func (c *Context) citations(findings []runevents.Finding) {
	chain := c.run.Degraded
	if len(chain) == 0 {
		return
	}
	for _, f := range findings {
		if c.config.MissingContextPhrase.cites(f) {
			chain[len(chain)-1].Findings++
		}
	}
}

func (m MissingContext) cites(f runevents.Finding) bool {
	return slices.Contains(m.Categories, strings.ToLower(f.Category)) || m.Phrases.MatchString(f.Text)
}

// contextTooLarge is PL-9: how large the context is without Tier 0.
var contextTooLarge = Rule{ID: "PL-9", On: run.Types(runevents.TypeContextAssembled), Run: run.With(func(c *Context, d *runevents.ContextAssembled) {
	if bytes := c.config.Context.bytes(d); bytes > c.config.Context.MaxBytes {
		j := c.phaseJudgement("CONTEXT-TOO-LARGE", "PL-9", d.Phase, "The assembled context has %d bytes without Tier 0; more than %d crowd out the task.", bytes, c.config.Context.MaxBytes)
		j.AgentID = short(d.AgentID)
		c.warning(j)
	}
})}

// contextCut is PL-9: the sections of a context are whole.
var contextCut = Rule{ID: "PL-9", On: run.Types(runevents.TypeContextAssembled), Run: run.With(func(c *Context, d *runevents.ContextAssembled) {
	var cut []string
	for _, s := range d.Sections {
		if slices.Contains(c.config.Context.Cut, strings.ToLower(s.Status)) {
			cut = append(cut, s.Name)
		}
	}
	if len(cut) > 0 {
		j := c.phaseJudgement("CONTEXT-SECTION-CUT", "PL-9", d.Phase, "The context was cut within %s: a section is dropped whole or left whole.", several(cut))
		j.AgentID = short(d.AgentID)
		c.warning(j)
	}
})}

// bytes returns our count; a larger claim wins unless it includes Tier 0.
func (l *ContextLimits) bytes(d *runevents.ContextAssembled) int {
	counted, all := 0, 0
	for _, s := range d.Sections {
		if slices.Contains(l.Dropped, strings.ToLower(s.Status)) {
			continue
		}
		all = add(all, s.Bytes)
		if s.Tier == nil || *s.Tier != 0 {
			counted = add(counted, s.Bytes)
		}
	}
	if d.Bytes == all && all > 0 {
		return counted
	}
	return max(counted, d.Bytes)
}

// add sums sizes from publishers without going below zero or overflowing.
func add(sum, n int) int {
	if n <= 0 {
		return sum
	}
	if sum > math.MaxInt-n {
		return math.MaxInt
	}
	return sum + n
}

// blindRead is PL-20: an agent that is blind and reads what an earlier phase handed
// over with its own tools is blind no more.
var blindRead = Rule{ID: "PL-20", On: run.Types(sessionevents.TypeTurnEvaluated), Run: run.With(func(c *Context,
	d *sessionevents.TurnEvaluated,
) {
	if d.Observed == nil || len(d.Observed.Consulted) == 0 {
		return
	}
	agent := c.run.agentAt(d.Session)
	if agent == nil || agent.Mode != modeBlind {
		return
	}
	var fresh []string
	for _, file := range d.Observed.Consulted {
		if !slices.Contains(agent.Read, short(file)) {
			agent.Read = text.Newest(append(agent.Read, short(file)), c.config.Kept.Items)
			fresh = append(fresh, file)
		}
	}
	if len(fresh) == 0 {
		return
	}
	j := c.judgement("CONTAMINATION", "PL-20",
		"Agent %s is blind and read %s with its own tools: what it finds is not independent.", quote.Name(agent.ID), several(fresh))
	j.AgentID, j.Evidence = agent.ID, []runevents.Reference{{
		Event: c.Event.ID, Path: fresh[0],
		What: fmt.Sprintf("turn %d of session %s", d.Turn, short(d.Session)),
	}}
	c.violation(j)
})}

// agentAt returns the declared agent that works in a session, nil if it is unknown.
func (r *Run) agentAt(session string) *Agent {
	i := slices.IndexFunc(r.Sessions, func(s Session) bool { return s.ID == short(session) })
	if i < 0 || r.Sessions[i].Agent == "" {
		return nil
	}
	id := r.Sessions[i].Agent
	if at := slices.IndexFunc(r.Agents, func(a Agent) bool { return a.ID == id }); at >= 0 {
		return &r.Agents[at]
	}
	return nil
}

// delegated is PL-20: who delegates says first what it expects, so that the answer is
// evidence and not the conclusion. Said once in a phase.
var delegated = Rule{ID: "PL-20", On: run.Types(sessionevents.TypeTurnEvaluated), Run: run.With(func(c *Context,
	d *sessionevents.TurnEvaluated,
) {
	if d.Observed == nil || d.Observed.Unguided == 0 {
		return
	}
	i := slices.IndexFunc(c.run.Open, func(p Phase) bool { return !p.Denied && c.config.pipelineWorkflow(p.Workflow) })
	if i < 0 || c.run.Open[i].Asked {
		return
	}
	phase := &c.run.Open[i]
	phase.Asked = true
	j := c.judgement("DELEGATED-WITHOUT-HYPOTHESIS", "PL-20",
		"Phase %s asks a subagent in turn %d of session %s and states no hypothesis before: its answer will be taken as the conclusion.", phase.Name, d.Turn, short(d.Session))
	j.Phase = phase.Name
	c.warning(j)
})}

// planEdited is PL-42: source edited in a plan phase is reported to the agent at
// once, outside the budget, once per file and phase.
var planEdited = Rule{ID: "PL-42", On: run.Types(sessionevents.TypeTurnEvaluated), Run: run.With(func(c *Context, d *sessionevents.TurnEvaluated) {
	if d.Observed == nil || len(d.Observed.FilesEdited) == 0 {
		return
	}
	phase := c.planning()
	if phase == nil {
		return
	}
	var fresh []string
	for _, file := range d.Observed.FilesEdited {
		if c.config.PlanPhase.source(file) && !slices.Contains(c.run.PlanEdits, short(file)) && !slices.Contains(fresh, short(file)) {
			fresh = append(fresh, short(file))
		}
	}
	if len(fresh) == 0 {
		return
	}
	for _, file := range fresh {
		c.run.PlanEdits = text.Newest(append(c.run.PlanEdits, file), c.config.Kept.Files)
	}
	evidence := make([]sessionevents.Evidence, 0, min(len(fresh), 8))
	for _, file := range fresh[:min(len(fresh), 8)] {
		evidence = append(evidence, sessionevents.Evidence{Kind: sessionevents.SegmentDiff, Path: file})
	}
	c.Interrupt(sessionevents.InterruptFired{
		Session: d.Session, Turn: d.Turn, Layer: sessionevents.LayerPipeline, Detector: "PL-42", Evidence: evidence,
		Headline: "Source edited in the plan phase",
		Message:  fmt.Sprintf("Phase %s makes a plan, yet you edited %s. Take the edit back and finish the plan; building begins in its own phase.", short(phase.Name), several(fresh[:min(len(fresh), 3)])),
		Reason:   fmt.Sprintf("Turn %d edits %s while phase %s is at work, which writes documents only.", d.Turn, text.Count(len(fresh), "source file"), short(phase.Name)),
	})
})}

// planning returns the current phase if all current phases make a plan.
func (c *Context) planning() *Phase {
	var out *Phase
	for i := range c.run.Open {
		phase := &c.run.Open[i]
		if phase.Denied {
			continue
		}
		if !has(phase.Name, c.config.Phases.Plan) {
			return nil
		}
		out = phase
	}
	return out
}

// source reports whether a plan phase must not edit the file.
func (p *PlanPhase) source(file string) bool {
	file = strings.ReplaceAll(file, "\\", "/")
	extension := strings.ToLower(strings.TrimPrefix(path.Ext(file), "."))
	if slices.Contains(p.Extensions, extension) {
		return false
	}
	folders := strings.Split(path.Dir(file), "/")
	if slices.ContainsFunc(folders, func(folder string) bool { return slices.Contains(p.Folders, strings.ToLower(folder)) }) {
		return false
	}
	switch extension {
	case "json", "yaml", "yml":
		return !has(path.Base(file), p.Documents)
	}
	return true
}
