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
func (a *act) scaffoldStarted(d *runevents.ScaffoldStarted) {
	if d.Wave >= 2 || a.s.Current >= 1 {
		number := max(d.Wave, a.s.Current)
		a.judge(judgement{code: codeScaffoldLate, wave: number, what: "Scaffolding began when the first wave was done or under way: later waves import what is merged, and contracts are frozen."})
		return
	}
	if _, ok := a.s.may(onScaffoldStarted); !ok && a.s.Phase == Reviewed {
		a.illegalBy("WP-9", onScaffoldStarted)
		return
	}
	a.move(onScaffoldStarted)
}

// scaffoldCommitted is WP-8, WP-9 and WP-10.
func (a *act) scaffoldCommitted(d *runevents.ScaffoldCommitted) {
	if a.actor.Kind == runevents.ActorOrchestrator {
		a.judge(judgement{code: codeOrchestratorScaff, what: "The orchestrator committed the scaffold itself; that is the scaffold agent's part.", evidence: a.at(d.Files)})
	}
	switch {
	case d.CompileOK != nil && !*d.CompileOK:
		a.scaffoldFailed("it does not compile"+because(d.Reason), d.Files)
	case d.SHA == "":
		a.scaffoldFailed("it was reported without a commit"+because(d.Reason), d.Files)
	case !a.s.Plan.Approved && (a.s.Phase == ScoutPending || a.s.Phase == Reviewed):
		a.cosmetic(orThese(a.c.all(d.Files), a.s.pendingScaffolds()), a.at(a.c.all(d.Files)))
		a.s.scaffolded(a.c.all(d.Files))
	default:
		a.s.scaffolded(a.c.all(d.Files))
		a.move(onScaffoldCommitted)
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
func (a *act) scaffoldFailed(reason string, files []string) {
	if !a.move(onScaffoldFailed) {
		return
	}
	reason = short(reason, longText)
	why := "The scaffold " + phrase(orThese(a.c.all(files), a.s.pendingScaffolds())) + " failed: " + reason + "."
	a.s.Plan.Failed, a.s.Plan.Approved = reason, false
	a.v.Gate(runevents.GateDecided{
		Gate: runevents.GateWorktrees, Decision: runevents.DecisionDeny, Rule: "WP-10", Why: why + " No worktree until an operator has reviewed the plan again.",
		WhoDecides: runevents.DecidedByOperator, Wave: max(a.s.Current, 1), Evidence: a.evidence(a.at(files)),
	})
	a.v.Escalate(runevents.EscalationRaised{
		Layer: sessionevents.LayerWave, Issue: "wave/scaffold_failed", To: "user",
		Text: why + " Revise the contracts and approve the plan again.",
	})
}
