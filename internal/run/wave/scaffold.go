package wave

import (
	"cmp"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// pending returns the scaffold files that are not committed.
func (p *Plan) pending() []string {
	var out []string
	for _, one := range p.Scaffolds {
		if one.Status == statusPending {
			out = append(out, one.File)
		}
	}
	return out
}

// scaffoldLate is WP-14 (E2): scaffolding must precede the first wave.
var scaffoldLate = Rule{ID: "WP-14", On: run.Types(runevents.TypeScaffoldStarted), Run: run.With(func(c *Context, d *runevents.ScaffoldStarted) {
	if c.afterFirstWave(d) {
		number := max(d.Wave, c.state.Current)
		c.judge(judgement{code: codeScaffoldLate, wave: number, what: "Scaffolding began when the first wave was done or under way: later waves import what is merged, and contracts are frozen."})
	}
})}

func (m machine) afterFirstWave(d *runevents.ScaffoldStarted) bool {
	return d.Wave >= 2 || m.state.Current >= 1
}

// scaffoldStarted is WP-9: scaffolding follows the approval.
var scaffoldStarted = Rule{ID: "WP-9", On: run.Types(runevents.TypeScaffoldStarted), Run: run.With(func(c *Context, d *runevents.ScaffoldStarted) {
	if c.afterFirstWave(d) {
		return
	}
	if _, ok := c.state.may(onScaffoldStarted); !ok && c.state.Phase == Reviewed {
		c.illegalBy("WP-9", onScaffoldStarted)
		return
	}
	c.move(onScaffoldStarted)
})}

// scaffoldByOrchestrator is WP-12 for a scaffold.
var scaffoldByOrchestrator = Rule{ID: "WP-12", On: run.Types(runevents.TypeScaffoldCommitted), Run: run.With(func(c *Context, d *runevents.ScaffoldCommitted) {
	if c.actor.Kind == runevents.ActorOrchestrator {
		c.judge(judgement{code: codeOrchestratorScaff, what: "The orchestrator committed the scaffold itself; that is the scaffold agent's part.", evidence: c.at(d.Files)})
	}
})}

// scaffoldBroken is WP-10 for a scaffold that was reported as committed.
var scaffoldBroken = Rule{ID: "WP-10", On: run.Types(runevents.TypeScaffoldCommitted), Run: run.With(func(c *Context, d *runevents.ScaffoldCommitted) {
	if problem := scaffoldProblem(d); problem != "" {
		c.failScaffold(problem, d.Files)
	}
})}

// scaffoldProblem describes why a scaffold does not count as committed, "" if it
// does.
func scaffoldProblem(d *runevents.ScaffoldCommitted) string {
	switch {
	case d.CompileOK != nil && !*d.CompileOK:
		return "it does not compile" + because(d.Reason)
	case d.SHA == "":
		return "it was reported without a commit" + because(d.Reason)
	}
	return ""
}

// scaffoldBeforeReview is WP-8 for a scaffold.
var scaffoldBeforeReview = Rule{ID: "WP-8", On: run.Types(runevents.TypeScaffoldCommitted), Run: run.With(func(c *Context, d *runevents.ScaffoldCommitted) {
	if scaffoldProblem(d) == "" && c.reviewAhead() {
		c.cosmetic(orThese(c.config.all(d.Files), c.state.Plan.pending()), c.at(c.config.all(d.Files)))
	}
})}

// reviewAhead reports whether an operator has yet to review the plan.
func (m machine) reviewAhead() bool {
	return !m.state.Plan.Approved && (m.state.Phase == ScoutPending || m.state.Phase == Reviewed)
}

// scaffoldCommitted folds a scaffold that is committed (WP-9).
var scaffoldCommitted = Rule{ID: "WP-9", On: run.Types(runevents.TypeScaffoldCommitted), Run: run.With(func(c *Context, d *runevents.ScaffoldCommitted) {
	if scaffoldProblem(d) != "" {
		return
	}
	c.state.Plan.scaffolded(c.config.all(d.Files))
	if !c.reviewAhead() {
		c.move(onScaffoldCommitted)
	}
})}

// scaffoldFailed is WP-10 for a scaffold that was reported as failed.
var scaffoldFailed = Rule{ID: "WP-10", On: run.Types(runevents.TypeScaffoldFailed), Run: run.With(func(c *Context, d *runevents.ScaffoldFailed) {
	c.failScaffold(cmp.Or(d.Reason, "it failed"), d.Files)
})}

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

// all returns the paths of files in canonical form.
func (c *Config) all(files []string) []string {
	var out []string
	for _, file := range files {
		if file = c.cleaned(file); file != "" {
			out = append(out, file)
		}
	}
	return out
}

// scaffolded marks files as committed, or all if none is named.
func (p *Plan) scaffolded(files []string) {
	for i := range p.Scaffolds {
		if len(files) == 0 || slices.Contains(files, p.Scaffolds[i].File) {
			p.Scaffolds[i].Status = statusCommitted
		}
	}
}

// failScaffold is WP-10: no worktree may be created until the plan has been reviewed
// again.
func (m machine) failScaffold(reason string, files []string) {
	if !m.move(onScaffoldFailed) {
		return
	}
	reason = short(reason, longText)
	why := "The scaffold " + phrase(orThese(m.config.all(files), m.state.Plan.pending())) + " failed: " + reason + "."
	m.state.Plan.Failed, m.state.Plan.Approved = reason, false
	m.Gate(runevents.GateDecided{
		Gate: runevents.GateWorktrees, Decision: runevents.DecisionDeny, Rule: "WP-10", Why: why + " No worktree until an operator has reviewed the plan again.",
		WhoDecides: runevents.DecidedByOperator, Wave: max(m.state.Current, 1), Evidence: m.evidence(m.at(files)),
	})
	m.Escalate(runevents.EscalationRaised{
		Layer: sessionevents.LayerWave, Issue: "wave/scaffold_failed", To: runevents.RecipientUser,
		Text: why + " Revise the contracts and approve the plan again.",
	})
}
