package wave

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Statuses of a scaffold file.
const (
	statusPending   = "pending"
	statusCommitted = "committed"
)

// planScouted folds the plan; a plan published again before the approval was revised in
// the review (WP-16).
var planScouted = Rule{ID: "WP-16", On: run.Types(runevents.TypeScoutCompleted), Run: run.With(func(c *Context, d *runevents.ScoutCompleted) {
	c.state.Midway = false
	verdict := d.Verdict
	if verdict != "SUITABLE" && verdict != "SUITABLE WITH CAVEATS" {
		verdict = "NOT SUITABLE" // an unknown word is read as the worse (EV-3a)
	}
	suitable := verdict != "NOT SUITABLE"
	on := onSuitable
	if !suitable {
		on = onNotSuitable
	}
	if c.moved = c.move(on); !c.moved {
		return
	}
	c.state.Plan.Verdict, c.state.Plan.Waves, c.state.Plan.Approved, c.state.Plan.Failed = verdict, d.Waves, false, ""
	c.state.Plan.Scaffolds = nil
	for _, one := range d.Scaffolds {
		c.plannedScaffold(one)
	}
})}

func (c *Context) plannedScaffold(one runevents.Scaffold) {
	file := c.config.cleaned(one.File)
	if file == "" || c.state.paths() >= c.config.Kept.Paths || slices.ContainsFunc(c.state.Plan.Scaffolds, func(s ScaffoldState) bool { return s.File == file }) {
		return
	}
	status := statusPending
	if strings.HasPrefix(strings.ToLower(strings.TrimSpace(one.Status)), statusCommitted) {
		status = statusCommitted
	}
	c.state.Plan.Scaffolds = append(c.state.Plan.Scaffolds, ScaffoldState{file, status})
}

// scaffoldedByScout is WP-8 for scaffolds that the scout committed itself: the plan lists
// them as committed, or an earlier commit contained them.
var scaffoldedByScout = Rule{ID: "WP-8", On: run.Types(runevents.TypeScoutCompleted), Run: func(c *Context) {
	if !c.moved || c.state.Plan.Approvals > 0 {
		return
	}
	var files []string
	var evidence []runevents.Reference
	for _, s := range c.state.Plan.Scaffolds {
		i := slices.IndexFunc(c.state.Plan.Early, func(e FileAt) bool { return e.File == s.File })
		switch {
		case i >= 0:
			evidence = append(evidence, runevents.Reference{Event: c.state.Plan.Early[i].Event, Path: s.File})
		case s.Status == statusCommitted:
			evidence = append(evidence, runevents.Reference{Event: c.Event.ID, Path: s.File})
		default:
			continue
		}
		files = append(files, s.File)
	}
	c.cosmetic(files, evidence)
}}

// cosmetic is WP-8: contracts that are already code can no longer be reviewed.
func (c *Context) cosmetic(files []string, evidence []runevents.Reference) {
	if len(files) == 0 {
		return
	}
	if _, fact := c.Event.Data.(*runevents.GitCommit); c.state.Document && c.state.Plan.Approvals == 0 && !fact {
		return // a document does not show who approved it, and when
	}
	if c.state.Plan.Cosmetic == "" {
		c.judge(judgement{code: codeCosmeticReview, what: "The scaffold " + phrase(files) + " was committed before an operator approved the plan: the review came too late to change anything.", evidence: evidence})
	}
	c.state.Plan.Cosmetic = c.Event.ID
}

// planApproved is the review gate (WP-9), an act that only an operator can perform.
var planApproved = Rule{ID: "WP-9", On: run.Types(runevents.TypePlanApproved), Run: func(c *Context) {
	if !c.Proven {
		return
	}
	if c.moved = c.move(onApproved); !c.moved {
		return
	}
	again := c.state.Plan.Approvals > 0
	c.state.Plan.Approvals++
	c.state.Plan.Approved, c.state.Plan.Revised, c.state.Plan.Early = true, "", nil
	if again {
		c.state.Plan.Cosmetic = "" // WP-8: until a later re-approval
	}
	c.state.Plan.Failed = ""
}}

// scaffoldsForSolo is WP-13 at the approval.
var scaffoldsForSolo = Rule{ID: "WP-13", On: run.Types(runevents.TypePlanApproved), Run: func(c *Context) {
	if c.moved {
		c.soloScaffolds()
	}
}}

// soloScaffolds is WP-13: one agent cannot conflict with itself.
func (c *Context) soloScaffolds() {
	if len(c.state.Plan.pending()) > 0 && c.state.onlySoloWaves() && c.state.Waves.numbered(1).once(codeScaffoldsForSolo) {
		c.judge(judgement{code: codeScaffoldsForSolo, what: "The scaffold " + phrase(c.state.Plan.pending()) + " is pending although every wave has one agent: there is nobody to share it with."})
	}
}

// onlySoloWaves reports whether all waves of the plan are known and have one agent.
func (s *State) onlySoloWaves() bool {
	if len(s.Waves) == 0 || len(s.Waves) < s.Plan.Waves || s.Waves[0].Number != 1 {
		return false
	}
	return !slices.ContainsFunc(s.Waves, func(w *Wave) bool { return !w.Planned || !w.solo() })
}

// contractChanged is WP-11: contracts may change before the approval, require a new
// approval before the first worktree, and break the freeze after it (E2). They may also
// be revised while an agent blocks the wave (E8).
var contractChanged = Rule{ID: "WP-11", On: run.Types(runevents.TypeContractChanged), Run: run.With(func(c *Context, d *runevents.ContractChanged) {
	files := phrase(d.Files)
	if files == "" {
		files = "Contracts"
	}
	blocked := c.state.Phase == Blocked && c.state.Trip == nil
	switch {
	case c.state.Frozen && !blocked:
		c.judge(judgement{code: codeContractFrozen, wave: c.state.Current, what: files + " changed after the first worktree was made; from there on contracts are frozen.", evidence: c.at(d.Files)})
		c.outdate()
	case c.state.Plan.Approvals == 0:
		return // contracts may change during the review
	default:
		if c.state.Plan.Approved {
			c.judge(judgement{code: codeContractChanged, what: files + " changed after the approval; the plan must be approved again.", evidence: c.at(d.Files)})
		}
		if to, ok := c.state.may(onContractChanged); ok {
			c.state.Phase = to
			c.state.Plan.Approved, c.state.Plan.Revised = false, c.Event.ID
			if w := c.state.current(); w != nil {
				w.relaunch()
			}
		}
	}
})}

// outdate marks the existing worktrees as stale because their contracts have changed.
func (c *Context) outdate() {
	for _, w := range c.state.Waves {
		for _, agent := range w.Agents {
			if agent.Worktree != nil && agent.Worktree.Live && !w.Merged {
				agent.Worktree.Stale = true
			}
		}
	}
}
