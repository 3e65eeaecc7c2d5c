package wave

import (
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func (s *State) pendingScaffolds() []string {
	var out []string
	for _, one := range s.Plan.Scaffolds {
		if one.Status == scaffoldPending {
			out = append(out, one.File)
		}
	}
	return out
}

func (s *State) scaffoldPending() bool { return len(s.pendingScaffolds()) > 0 }

// scaffoldStarted is WP-9 and, in a later wave than the first, WP-14 (E2).
func (c *Context) scaffoldStarted(d *runevents.ScaffoldStarted) {
	if d.Wave >= 2 || c.state.Current >= 1 {
		number := max(d.Wave, c.state.Current)
		c.judge(judgement{code: codeScaffoldLate, wave: number, what: "Scaffolding began when the first wave was done or under way: later waves import what is merged, and contracts are frozen."})
		return
	}
	if _, ok := c.state.may(onScaffoldStarted); !ok && c.state.Phase == Reviewed {
		c.illegalBy("WP-9", onScaffoldStarted)
		return
	}
	c.move(onScaffoldStarted)
}

// scaffoldCommitted is WP-8, WP-9 and WP-10.
func (c *Context) scaffoldCommitted(d *runevents.ScaffoldCommitted) {
	if c.actor.Kind == runevents.ActorOrchestrator {
		c.judge(judgement{code: codeOrchestratorScaff, what: "The orchestrator committed the scaffold itself; that is the scaffold agent's part.", evidence: c.at(d.Files)})
	}
	switch {
	case d.CompileOK != nil && !*d.CompileOK:
		c.scaffoldFailed("it does not compile"+because(d.Reason), d.Files)
	case d.SHA == "":
		c.scaffoldFailed("it was reported without a commit"+because(d.Reason), d.Files)
	case !c.state.Plan.Approved && (c.state.Phase == ScoutPending || c.state.Phase == Reviewed):
		c.cosmetic(orThese(c.config.all(d.Files), c.state.pendingScaffolds()), c.at(c.config.all(d.Files)))
		c.state.scaffolded(c.config.all(d.Files))
	default:
		c.state.scaffolded(c.config.all(d.Files))
		c.move(onScaffoldCommitted)
	}
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

func orThese(files, others []string) []string {
	if len(files) > 0 {
		return files
	}
	if len(others) > 0 {
		return others
	}
	return []string{"file"}
}

// all are the paths of files in one form.
func (c *Config) all(files []string) []string {
	var out []string
	for _, file := range files {
		if file = c.cleaned(file); file != "" {
			out = append(out, file)
		}
	}
	return out
}

// scaffolded marks files as committed; none named means all.
func (s *State) scaffolded(files []string) {
	for i := range s.Plan.Scaffolds {
		if len(files) == 0 || slices.Contains(files, s.Plan.Scaffolds[i].File) {
			s.Plan.Scaffolds[i].Status = scaffoldCommitted
		}
	}
}

// scaffoldFailed is WP-10: no worktree until the plan was reviewed again.
func (c *Context) scaffoldFailed(reason string, files []string) {
	if !c.move(onScaffoldFailed) {
		return
	}
	reason = short(reason, longText)
	why := "The scaffold " + phrase(orThese(c.config.all(files), c.state.pendingScaffolds())) + " failed: " + reason + "."
	c.state.Plan.Failed, c.state.Plan.Approved = reason, false
	c.Gate(runevents.GateDecided{
		Gate: runevents.GateWorktrees, Decision: runevents.DecisionDeny, Rule: "WP-10", Why: why + " No worktree until an operator has reviewed the plan again.",
		WhoDecides: runevents.DecidedByOperator, Wave: max(c.state.Current, 1), Evidence: c.evidence(c.at(files)),
	})
	c.Escalate(runevents.EscalationRaised{
		Layer: sessionevents.LayerWave, Issue: "wave/scaffold_failed", To: "user",
		Text: why + " Revise the contracts and approve the plan again.",
	})
}
