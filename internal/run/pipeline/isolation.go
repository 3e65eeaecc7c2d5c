package pipeline

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Modes of an agent's context (PL-20).
const (
	modeFull     = "full"
	modeTaskOnly = "task-only"
	modeBlind    = "blind"
	modeCustom   = "custom"
)

// agentContext compares what an agent is given with what it was declared to get
// (PL-20): an agent that judges gets nothing that others concluded.
var agentContext = Rule{ID: "PL-20", On: run.Types(runevents.TypeAgentSpawned), Run: run.With(func(c *Context, d *runevents.AgentSpawned) {
	if !c.run.On && !declaresIsolation(d) && !c.config.Isolation.mustBeBlind(d.Role) {
		return
	}
	found := c.config.Isolation.compare(d)
	c.unsound = &found
	if found.wrongMode != "" {
		c.violation(c.agentJudgement("ISOLATION-MODE", d, "%s", found.wrongMode))
	}
})}

// spawning adapts a rule about the context of an agent that is spawned.
func spawning(handle func(*Context, *runevents.AgentSpawned)) func(*Context) {
	return run.With(func(c *Context, d *runevents.AgentSpawned) {
		if c.unsound != nil {
			handle(c, d)
		}
	})
}

// agentContaminated is PL-20: an agent gets context that it must not see.
var agentContaminated = Rule{ID: "PL-20", On: run.Types(runevents.TypeAgentSpawned), Run: spawning(func(c *Context, d *runevents.AgentSpawned) {
	if len(c.unsound.illegal) > 0 {
		c.violation(c.agentJudgement("CONTAMINATION", d, "%s", c.unsound.contaminated()))
	}
})}

// agentStarved is PL-20: an agent does not get context that it requires.
var agentStarved = Rule{ID: "PL-20", On: run.Types(runevents.TypeAgentSpawned), Run: spawning(func(c *Context, d *runevents.AgentSpawned) {
	if len(c.unsound.missing) > 0 {
		c.warning(c.agentJudgement("STARVATION", d, "%s", c.unsound.starved()))
	}
})}

// reviewerInformed is PL-20: a reviewer that knows what the coder thinks of its own
// work repeats it.
var reviewerInformed = Rule{ID: "PL-20", On: run.Types(runevents.TypeAgentSpawned), Run: spawning(func(c *Context,
	d *runevents.AgentSpawned,
) {
	if c.config.Isolation.mustBeBlind(d.Role) || !has(d.Role, c.config.Isolation.ReviewerRoles) {
		return
	}
	i := slices.IndexFunc(d.ContextKeys, c.config.Isolation.SelfAssessment.names)
	switch {
	case i >= 0:
		c.warning(c.agentJudgement("REVIEWER-SEES-SELF-ASSESSMENT", d,
			"Reviewer %s is given %s: what the coder thinks of its own work anchors the review.", quote.Name(short(d.AgentID)), quote.Text(short(d.ContextKeys[i]))))
	case d.Mode == "":
		c.warning(c.agentJudgement("REVIEWER-SEES-SELF-ASSESSMENT", d,
			"Reviewer %s declares no mode, so that nobody knows whether it sees what the coder thinks of its own work.", quote.Name(short(d.AgentID))))
	}
})}

// names reports whether a context key holds what its author thinks of the work.
func (s *SelfAssessment) names(key string) bool {
	return has(key, s.Alone) || has(key, s.Authors) && has(key, s.Opinions)
}

// agentSpawned folds the agent and answers the gate spawn (PL-20).
var agentSpawned = Rule{ID: "PL-20", On: run.Types(runevents.TypeAgentSpawned), Run: spawning(func(c *Context, d *runevents.AgentSpawned) {
	decided := c.spawnGate(d, *c.unsound)
	c.run.Agents = slices.DeleteFunc(c.run.Agents, func(a Agent) bool { return a.ID == short(d.AgentID) })
	mode := short(d.Mode)
	if mode == "" && c.config.Isolation.mustBeBlind(d.Role) {
		mode = modeBlind
	}
	c.run.Agents = text.Newest(append(c.run.Agents, Agent{
		ID: short(d.AgentID), Role: short(d.Role), Mode: mode, Event: c.Event.ID, Denied: decided.Decision == runevents.DecisionDeny,
	}), c.config.Kept.Agents)
	c.Gate(decided)
})}

// declaresIsolation reports whether an event describes the context of the agent.
func declaresIsolation(d *runevents.AgentSpawned) bool {
	return d.Mode != "" || len(d.DeclaredInputs)+len(d.RequiredKeys)+len(d.ContextKeys)+len(d.Include)+len(d.Exclude) > 0
}

// spawnAhead answers the gate before the agent is spawned.
func (c *Context) spawnAhead(d *runevents.AgentSpawned) {
	if d == nil {
		c.Gate(runevents.GateDecided{
			Gate: runevents.GateSpawn, Decision: runevents.DecisionDeny, Rule: "PL-20", WhoDecides: runevents.DecidedByScaffoldwatch, Ahead: true,
			Why: "The request describes no agent: say which role, mode and context it would have.", Asked: c.Event.ID, Evidence: c.evidence(),
		})
		return
	}
	decided := c.spawnGate(d, c.config.Isolation.compare(d))
	decided.Ahead = true
	c.Gate(decided)
}

// isolated is the set of problems with an agent's context.
type isolated struct {
	wrongMode string
	agent     string
	mode      string
	illegal   []string // keys it must not get
	missing   []string // keys it needs
}

func (i isolated) contaminated() string {
	return fmt.Sprintf("Agent %s (%s) is given context that was not declared for it, or that it must not see: %s.", quote.Name(i.agent), i.mode, several(i.illegal))
}

func (i isolated) starved() string {
	return fmt.Sprintf("Agent %s is not given context that it requires: %s.", i.agent, several(i.missing))
}

func (c *Context) spawnGate(d *runevents.AgentSpawned, found isolated) runevents.GateDecided {
	out := runevents.GateDecided{
		Gate: runevents.GateSpawn, Decision: runevents.DecisionAllow, Rule: "PL-20", WhoDecides: runevents.DecidedByScaffoldwatch,
		Why: fmt.Sprintf("Agent %s (%s) is given what was declared for it.", found.agent, found.mode), AgentID: short(d.AgentID), Asked: c.Event.ID, Evidence: c.evidence(),
	}
	switch {
	case found.wrongMode != "":
		out.Decision, out.Why = runevents.DecisionDeny, found.wrongMode
	case len(found.illegal) > 0:
		out.Decision, out.Why = runevents.DecisionDeny, found.contaminated()
	case len(found.missing) > 0:
		out.Decision, out.Why = runevents.DecisionAllowWithWarning, found.starved()
	}
	return out
}

func (i *Isolation) mustBeBlind(role string) bool { return has(role, i.BlindRoles) }

func (i *Isolation) compare(d *runevents.AgentSpawned) isolated {
	out := isolated{agent: short(d.AgentID), mode: d.Mode}
	if out.mode == "" {
		out.mode = "no mode declared"
	}
	if i.mustBeBlind(d.Role) {
		switch d.Mode {
		case modeBlind:
		case "": // who judges is spawned blind, also where nobody says so
			blind := *d
			blind.Mode = modeBlind
			d, out.mode = &blind, "taken as blind"
		default:
			out.wrongMode = fmt.Sprintf("Agent %s has role %s and mode %s: who judges is spawned blind, and its spawner cannot override that.", out.agent, short(d.Role), out.mode)
		}
	}
	keys := slices.Concat(d.ContextKeys, i.declaredPrior(d))
	for _, key := range keys {
		if !i.legal(d, key) && !slices.Contains(out.illegal, key) {
			out.illegal = append(out.illegal, key)
		}
	}
	given := d.ContextKeys
	if len(given) == 0 {
		given = d.DeclaredInputs // not said what it gets: what it was declared
	}
	for _, key := range d.RequiredKeys {
		if !contains(given, key) && !slices.Contains(out.missing, key) {
			out.missing = append(out.missing, key)
		}
	}
	return out
}

// declaredPrior are what others concluded among the declared inputs of a blind
// agent: declaring them makes them no more legal.
func (i *Isolation) declaredPrior(d *runevents.AgentSpawned) []string {
	if d.Mode != modeBlind {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(d.DeclaredInputs), func(key string) bool { return !i.concluded(d, key) })
}

// legal reports whether an agent of its mode may get a context key.
func (i *Isolation) legal(d *runevents.AgentSpawned, key string) bool {
	declared := contains(d.DeclaredInputs, key)
	switch d.Mode {
	case modeBlind:
		return declared && !i.concluded(d, key)
	case modeTaskOnly:
		return declared || has(key, i.Task) && !i.concluded(d, key) || has(key, i.Tiers)
	case modeCustom:
		if contains(d.Exclude, key) {
			return false
		}
		return declared || len(d.Include) == 0 || contains(d.Include, key)
	}
	if d.Mode != modeFull || len(d.DeclaredInputs) == 0 {
		return true // none declared: everything there is
	}
	return declared || has(key, i.Task) || has(key, i.Tiers) || has(key, i.Prior) || has(key, i.Assumptions)
}

// concluded reports whether a key contains what others found or decided. A
// primary's stated assumptions are legal input for a challenger.
func (i *Isolation) concluded(d *runevents.AgentSpawned, key string) bool {
	if has(key, i.Assumptions) {
		return !has(d.Role, i.AssumptionChallengers)
	}
	return has(key, i.Prior)
}

func contains(keys []string, key string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return same(k, key) })
}

func (r report) agentJudgement(code string, d *runevents.AgentSpawned, what string, arguments ...any) runevents.Judgement {
	j := r.judgement(code, "PL-20", what, arguments...)
	j.AgentID = short(d.AgentID)
	return j
}

// agentAtRest folds that an agent's session may be silent (PL-10).
var agentAtRest = Rule{ID: "PL-10", Folds: true, On: run.Types(runevents.TypeAgentCompleted), Run: run.With(func(c *Context, d *runevents.AgentCompleted) {
	if d.Session != "" {
		c.run.atRest(func(s *Session) bool { return s.ID == short(d.Session) })
	}
})}

// agentWithoutAllow is PL-20: an agent that ran although its gate was shut.
var agentWithoutAllow = Rule{ID: "PL-20", On: run.Types(runevents.TypeAgentCompleted), Run: run.With(func(c *Context, d *runevents.AgentCompleted) {
	i := slices.IndexFunc(c.run.Agents, func(a Agent) bool { return a.ID == short(d.AgentID) })
	if i < 0 || !c.run.Agents[i].Denied {
		return
	}
	c.run.Agents[i].Denied = false // reported once
	j := c.judgement("SPAWN-WITHOUT-ALLOW", "PL-20", "Agent %s ran though its gate was not opened: what it found is not independent.", short(d.AgentID))
	j.AgentID, j.Evidence = short(d.AgentID), c.evidence(c.run.Agents[i].Event)
	c.violation(j)
})}

// agentJudged folds an agent's judgement with its mode (PL-20).
var agentJudged = Rule{ID: "PL-20", On: run.Types(runevents.TypeAgentCompleted), Run: run.With(func(c *Context, d *runevents.AgentCompleted) {
	if d.Verdict != "" {
		c.evaluated(d.Verdict, run.Reviewer{Name: d.AgentID, Archetype: d.Archetype, Cycle: d.Cycle, Completed: true})
	}
})}

// reviewJudged folds a review's judgement with the mode of its author (PL-20).
var reviewJudged = Rule{ID: "PL-20", On: run.Types(runevents.TypeReviewCompleted), Run: run.With(func(c *Context, d *runevents.ReviewCompleted) {
	c.evaluated(d.Verdict, run.Reviewer{Name: d.Reviewer, Cycle: d.Cycle, Reviewed: true})
})}

// evaluated tags a judgement with the mode of its author. One review counts once,
// whichever events and names it comes by.
func (c *Context) evaluated(verdict string, by run.Reviewer) {
	by.Name, by.Archetype = short(by.Name), short(by.Archetype)
	if i := slices.IndexFunc(c.run.Reviewers, by.Same); i >= 0 && by.Name != "" {
		known := c.run.Reviewers[i]
		c.run.Reviewers[i] = known.Join(by)
		if by.Completed != known.Completed && by.Reviewed != known.Reviewed {
			return
		}
	} else {
		c.run.Reviewers = text.Newest(append(c.run.Reviewers, by), c.config.Kept.Agents)
	}
	one := Evaluation{Agent: by.Name, Mode: "undeclared", Verdict: short(verdict), Event: c.Event.ID}
	if i := slices.IndexFunc(c.run.Agents, func(a Agent) bool { return a.ID == one.Agent }); i >= 0 {
		one.Role = c.run.Agents[i].Role
		if mode := c.run.Agents[i].Mode; mode != "" {
			one.Mode = mode
		}
	}
	c.run.Judged = text.Newest(append(c.run.Judged, one), c.config.Kept.Agents)
}

// Context is an event as the layer's rules see it.
type Context struct {
	report
	config *Config
	state  *State
	run    *Run

	// answer is that of the gate next_phase, for a phase that begins.
	answer answer
	// phase is the phase that ends, and handover what it hands over; nil for any
	// other event.
	phase    Phase
	handover *handover
	// unsound is what is wrong with the context of the agent that is spawned; nil
	// where nobody declares any.
	unsound *isolated
}

// Rule is one rule about pipelines.
type Rule = run.Rule[*Context]

// Decide applies the rules to an event: it folds the event into the state and adds
// the conclusions of the rules.
func (c *Config) Decide(s *State, event *run.Context) {
	if event.RunEvent && s.Run == nil {
		s.Run = &Run{}
	}
	if len(layerRules.On(event.Event.Type)) > 0 && s.concerns(event) {
		layerRules.Run(&Context{report: report{event}, config: c, state: s, run: s.Run})
	}
}

// concerns reports whether the layer needs an event: turns, which are most of the
// traffic, only matter in a pipeline.
func (s *State) concerns(event *run.Context) bool {
	switch event.Event.Type {
	case sessionevents.TypeTurnEvaluated:
		return s.Run != nil && s.Run.On
	case sessionevents.TypeSignalDetected, events.TypeTimerExpired:
		return true
	}
	return s.Run != nil
}

// report is an event with the ways in which the layer reports on it.
type report struct{ *run.Context }

// judgement starts a finding about the current event.
func (r report) judgement(code, rule, what string, arguments ...any) runevents.Judgement {
	return runevents.Judgement{Code: code, Rule: rule, What: fmt.Sprintf(what, arguments...), Evidence: r.evidence()}
}

// evidence returns the current event after the given ones.
func (r report) evidence(earlier ...string) []runevents.Reference {
	out := make([]runevents.Reference, 0, 1+len(earlier))
	for _, id := range earlier {
		if id != "" && id != r.Event.ID {
			out = append(out, runevents.Reference{Event: id})
		}
	}
	return append(out, runevents.Reference{Event: r.Event.ID})
}

func (r report) violation(j runevents.Judgement) { r.Violation(runevents.ViolationDetected(j)) }
func (r report) warning(j runevents.Judgement)   { r.Warning(runevents.WarningIssued(j)) }
