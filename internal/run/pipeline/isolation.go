package pipeline

import (
	"fmt"
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Modes of an agent's context (PL-20).
const (
	modeFull     = "full"
	modeTaskOnly = "task-only"
	modeBlind    = "blind"
	modeCustom   = "custom"
)

// spawned is PL-20: an agent that is to judge gets what it was declared to get,
// and nothing that others concluded.
func (w *watch) spawned(d *runevents.AgentSpawned) {
	if !w.run.On && !declaresIsolation(d) && !w.mustBeBlind(d.Role) {
		return
	}
	found := w.isolation(d)
	if found.wrongMode != "" {
		w.violation(w.agentJudgement("ISOLATION-MODE", d, "%s", found.wrongMode))
	}
	if len(found.illegal) > 0 {
		w.violation(w.agentJudgement("CONTAMINATION", d, "%s", found.contaminated()))
	}
	if len(found.missing) > 0 {
		w.warning(w.agentJudgement("STARVATION", d, "%s", found.starved()))
	}
	decided := w.spawnGate(d, found)
	w.run.Agents = slices.DeleteFunc(w.run.Agents, func(a Agent) bool { return a.ID == short(d.AgentID) })
	w.run.Agents = keep(w.run.Agents, Agent{
		ID: short(d.AgentID), Role: short(d.Role), Mode: short(d.Mode), Event: w.in.Event.ID, Denied: decided.Decision == runevents.DecisionDeny,
	}, w.Kept.Agents)
	w.v.Gate(decided)
}

// declaresIsolation reports an event that says something of its context.
func declaresIsolation(d *runevents.AgentSpawned) bool {
	return d.Mode != "" || len(d.DeclaredInputs)+len(d.RequiredKeys)+len(d.ContextKeys)+len(d.Include)+len(d.Exclude) > 0
}

// spawnAhead answers the question without an agent being spawned.
func (w *watch) spawnAhead(d *runevents.AgentSpawned) {
	if d == nil {
		w.v.Gate(runevents.GateDecided{
			Gate: runevents.GateSpawn, Decision: runevents.DecisionDeny, Rule: "PL-20", WhoDecides: runevents.DecidedByScaffoldwatch, Ahead: true,
			Why: "The request describes no agent: say which role, mode and context it would have.", Asked: w.in.Event.ID, Evidence: w.evidence(),
		})
		return
	}
	decided := w.spawnGate(d, w.isolation(d))
	decided.Ahead = true
	w.v.Gate(decided)
}

// isolated is what is wrong with an agent's context.
type isolated struct {
	wrongMode string
	agent     string
	mode      string
	illegal   []string // keys it must not get
	missing   []string // keys it needs
}

func (i isolated) contaminated() string {
	return fmt.Sprintf("Agent %s (%s) is given context that was not declared for it, or that it must not see: %s.", i.agent, i.mode, several(i.illegal))
}

func (i isolated) starved() string {
	return fmt.Sprintf("Agent %s is not given context that it requires: %s.", i.agent, several(i.missing))
}

func (w *watch) spawnGate(d *runevents.AgentSpawned, found isolated) runevents.GateDecided {
	out := runevents.GateDecided{
		Gate: runevents.GateSpawn, Decision: runevents.DecisionAllow, Rule: "PL-20", WhoDecides: runevents.DecidedByScaffoldwatch,
		Why: fmt.Sprintf("Agent %s (%s) is given what was declared for it.", found.agent, found.mode), AgentID: short(d.AgentID), Asked: w.in.Event.ID, Evidence: w.evidence(),
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

func (w *watch) mustBeBlind(role string) bool { return has(role, w.Isolation.BlindRoles) }

func (w *watch) isolation(d *runevents.AgentSpawned) isolated {
	out := isolated{agent: short(d.AgentID), mode: d.Mode}
	if out.mode == "" {
		out.mode = "no mode declared"
	}
	if w.mustBeBlind(d.Role) && d.Mode != modeBlind {
		out.wrongMode = fmt.Sprintf("Agent %s has role %s and mode %s: who judges is spawned blind, and its spawner cannot override that.", out.agent, short(d.Role), out.mode)
		if d.Mode == "" {
			out.wrongMode = fmt.Sprintf("Agent %s has role %s and declares no mode: who judges is spawned blind.", out.agent, short(d.Role))
		}
	}
	keys := slices.Concat(d.ContextKeys, w.declaredPrior(d))
	for _, key := range keys {
		if !w.legal(d, key) && !slices.Contains(out.illegal, key) {
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
func (w *watch) declaredPrior(d *runevents.AgentSpawned) []string {
	if d.Mode != modeBlind {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(d.DeclaredInputs), func(key string) bool { return !w.concluded(d, key) })
}

// legal reports whether an agent of its mode may get a context key.
func (w *watch) legal(d *runevents.AgentSpawned, key string) bool {
	declared := contains(d.DeclaredInputs, key)
	switch d.Mode {
	case modeBlind:
		return declared && !w.concluded(d, key)
	case modeTaskOnly:
		return declared || has(key, w.Isolation.Task) && !w.concluded(d, key) || has(key, w.Isolation.Tiers)
	case modeCustom:
		if contains(d.Exclude, key) {
			return false
		}
		return declared || len(d.Include) == 0 || contains(d.Include, key)
	}
	if d.Mode != modeFull || len(d.DeclaredInputs) == 0 {
		return true // none declared: everything there is
	}
	return declared || has(key, w.Isolation.Task) || has(key, w.Isolation.Tiers) || has(key, w.Isolation.Prior) || has(key, w.Isolation.Assumptions)
}

// concluded reports a key that holds what others found or decided. A primary's
// stated assumptions are legal for who challenges them.
func (w *watch) concluded(d *runevents.AgentSpawned, key string) bool {
	if has(key, w.Isolation.Assumptions) {
		return !has(d.Role, w.Isolation.AssumptionChallengers)
	}
	return has(key, w.Isolation.Prior)
}

func contains(keys []string, key string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return same(k, key) })
}

func (w *watch) agentJudgement(code string, d *runevents.AgentSpawned, what string, arguments ...any) runevents.Judgement {
	j := w.judgement(code, "PL-20", what, arguments...)
	j.AgentID = short(d.AgentID)
	return j
}

// agentCompleted notes a judgement with its mode, and an agent that ran though
// its gate was not opened.
func (w *watch) agentCompleted(d *runevents.AgentCompleted) {
	w.citations(d.Findings)
	w.sliceDone(d.Task, d.Cycle)
	if d.Session != "" {
		w.atRest(func(s *Session) bool { return s.ID == short(d.Session) })
	}
	i := slices.IndexFunc(w.run.Agents, func(a Agent) bool { return a.ID == short(d.AgentID) })
	if i >= 0 && w.run.Agents[i].Denied {
		w.run.Agents[i].Denied = false // said once
		j := w.judgement("SPAWN-WITHOUT-ALLOW", "PL-20", "Agent %s ran though its gate was not opened: what it found is not independent.", short(d.AgentID))
		j.AgentID, j.Evidence = short(d.AgentID), w.evidence(w.run.Agents[i].Event)
		w.violation(j)
	}
	if d.Verdict != "" {
		w.evaluated(d.AgentID, d.Verdict)
	}
}

// evaluated tags a judgement with the mode of who made it.
func (w *watch) evaluated(agent, verdict string) {
	one := Evaluation{Agent: short(agent), Mode: "undeclared", Verdict: short(verdict), Event: w.in.Event.ID}
	if i := slices.IndexFunc(w.run.Agents, func(a Agent) bool { return a.ID == one.Agent }); i >= 0 {
		one.Role = w.run.Agents[i].Role
		if mode := w.run.Agents[i].Mode; mode != "" {
			one.Mode = mode
		}
	}
	w.run.Judged = keep(w.run.Judged, one, w.Kept.Agents)
}
