package wave

import (
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Statuses of a scaffold file.
const (
	scaffoldPending   = "pending"
	scaffoldCommitted = "committed"
)

// scoutCompleted takes the plan; one that is told again before the approval was
// revised in the review.
func (a *act) scoutCompleted(d *runevents.ScoutCompleted) {
	a.s.Midway = false
	suitable := d.Verdict != "NOT SUITABLE"
	on := onSuitable
	if !suitable {
		on = onNotSuitable
	}
	if !a.move(on) {
		return
	}
	a.s.Plan.Verdict, a.s.Plan.Waves, a.s.Plan.Approved, a.s.Plan.Failed = d.Verdict, d.Waves, false, ""
	a.s.Plan.Scaffolds = nil
	for _, one := range d.Scaffolds {
		a.plannedScaffold(one)
	}
	a.alreadyCommitted()
}

func (a *act) plannedScaffold(one runevents.Scaffold) {
	file := a.c.cleaned(one.File)
	if file == "" || a.s.paths() >= a.c.Kept.Paths || slices.ContainsFunc(a.s.Plan.Scaffolds, func(s ScaffoldState) bool { return s.File == file }) {
		return
	}
	status := scaffoldPending
	if strings.HasPrefix(strings.ToLower(strings.TrimSpace(one.Status)), scaffoldCommitted) {
		status = scaffoldCommitted
	}
	a.s.Plan.Scaffolds = append(a.s.Plan.Scaffolds, ScaffoldState{file, status})
}

// alreadyCommitted is WP-8 for scaffolds that the scout made itself: the plan says
// that they are committed, or a commit before it had them.
func (a *act) alreadyCommitted() {
	if a.s.Plan.Approvals > 0 {
		return
	}
	var files []string
	var evidence []runevents.Reference
	for _, s := range a.s.Plan.Scaffolds {
		i := slices.IndexFunc(a.s.Plan.Early, func(e FileAt) bool { return e.File == s.File })
		switch {
		case i >= 0:
			evidence = append(evidence, runevents.Reference{Event: a.s.Plan.Early[i].Event, Path: s.File})
		case s.Status == scaffoldCommitted:
			evidence = append(evidence, runevents.Reference{Event: a.event.ID, Path: s.File})
		default:
			continue
		}
		files = append(files, s.File)
	}
	a.cosmetic(files, evidence)
}

// cosmetic is WP-8: contracts that are code already cannot be reviewed any more.
func (a *act) cosmetic(files []string, evidence []runevents.Reference) {
	if len(files) == 0 {
		return
	}
	if a.s.Plan.Cosmetic == "" {
		a.judge(judgement{code: codeCosmeticReview, what: "The scaffold " + phrase(files) + " was committed before an operator approved the plan: the review came too late to change anything.", evidence: evidence})
	}
	a.s.Plan.Cosmetic = a.event.ID
}

// planApproved is the review gate; it is an operator's act and nobody else's.
func (a *act) planApproved() {
	if !a.fact {
		return
	}
	if !a.move(onApproved) {
		return
	}
	again := a.s.Plan.Approvals > 0
	a.s.Plan.Approvals++
	a.s.Plan.Approved, a.s.Plan.Revised, a.s.Plan.Early = true, "", nil
	if again {
		a.s.Plan.Cosmetic = "" // WP-8: until a later re-approval
	}
	a.s.Plan.Failed = ""
	a.soloScaffolds()
}

// soloScaffolds is WP-13: one agent cannot conflict with itself.
func (a *act) soloScaffolds() {
	if a.s.scaffoldPending() && a.s.onlySoloWaves() && a.s.wave(1).once(codeScaffoldsForSolo) {
		a.judge(judgement{code: codeScaffoldsForSolo, what: "The scaffold " + phrase(a.s.pendingScaffolds()) + " is pending although every wave has one agent: there is nobody to share it with."})
	}
}

// onlySoloWaves reports that all waves of the plan are known and have one agent.
func (s *State) onlySoloWaves() bool {
	if len(s.Waves) == 0 || len(s.Waves) < s.Plan.Waves || s.Waves[0].Number != 1 {
		return false
	}
	return !slices.ContainsFunc(s.Waves, func(w *Wave) bool { return !w.Planned || !w.solo() })
}

// contractChanged is WP-11: free before the approval, a new approval before the
// first worktree, a break of the freeze after it (E2). A wave that is blocked by
// an agent is where contracts may be revised (E8).
func (a *act) contractChanged(d *runevents.ContractChanged) {
	files := phrase(d.Files)
	if files == "" {
		files = "Contracts"
	}
	blocked := a.s.Phase == Blocked && a.s.Trip == nil
	switch {
	case a.s.Frozen && !blocked:
		a.judge(judgement{code: codeContractFrozen, wave: a.s.Current, what: files + " changed after the first worktree was made; from there on contracts are frozen.", evidence: a.at(d.Files)})
		a.outdate()
	case a.s.Plan.Approvals == 0:
		return // the review is where they may change
	default:
		if a.s.Plan.Approved {
			a.judge(judgement{code: codeContractChanged, what: files + " changed after the approval; the plan must be approved again.", evidence: a.at(d.Files)})
		}
		if to, ok := a.s.may(onContractChanged); ok {
			a.s.Phase = to
			a.s.Plan.Approved, a.s.Plan.Revised = false, a.event.ID
			if w := a.s.wave(a.s.Current); w != nil {
				w.relaunch()
			}
		}
	}
}

// outdate says that the worktrees that exist rest on contracts that are no more.
func (a *act) outdate() {
	for _, w := range a.s.Waves {
		for _, agent := range w.Agents {
			if agent.Worktree != nil && agent.Worktree.Live && !w.Merged {
				agent.Worktree.Stale = true
			}
		}
	}
}
