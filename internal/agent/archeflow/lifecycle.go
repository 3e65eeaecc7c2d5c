package archeflow

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// workflows maps ArcheFlow's workflows to the contract's names; other workflows have none.
var workflows = map[string]string{"fast": "quick", "quick": "quick", "standard": "standard", "thorough": "thorough"}

func (r *run) start(f *fields) {
	if r.started {
		r.d.problem(r.now, "the run starts a second time")
		return
	}
	r.started = true
	r.limit = r.files.budget(f)
	data := &runevents.RunStarted{
		Actor: actor(), Kind: "build", Goal: short(f.Task, maxFindingText), Workflow: workflows[strings.ToLower(string(f.Workflow))],
		Project: short(f.Project, 200), Workspace: short(f.Workspace, 1024),
	}
	if data.Project == "" {
		data.Project = r.d.a.Options().Project
	}
	if r.limit > 0 {
		data.Budget = &runevents.Allowance{Limit: r.limit, Unit: "usd"}
	}
	r.tell(runevents.TypeRunStarted, data)
	r.enter(string(r.now.Phase))
}

// outcomes maps ArcheFlow's ends of a run to the contract's words.
var outcomes = map[string]string{
	"merged": "success", "awaiting_merge": "success", "completed": "success", "complete": "success", "success": "success", "done": "success",
	"stopped": "failure", "failed": "failure", "failure": "failure", "wiggum_break": "halted", "cancelled": "cancelled",
}

func (r *run) complete(f *fields) {
	r.leave()
	r.cost(f)
	r.ended = true
	status := strings.ToLower(string(f.Status))
	outcome, known := outcomes[status]
	switch {
	case status == "":
		outcome = "success"
	case !known:
		outcome = short(f.Status, 100)
	}
	summary := ""
	if status != "" {
		summary = "ArcheFlow: " + strings.ReplaceAll(short(f.Status, 100), "_", " ")
	}
	r.tell(runevents.TypeRunCompleted, &runevents.RunCompleted{Actor: actor(), Outcome: outcome, PRURL: short(f.PR, 1024), Summary: summary})
}

func (r *run) merged(f *fields) {
	sha := first(f.SHA, f.Commit)
	if sha == "" {
		return // what was merged is unknown
	}
	r.tell(runevents.TypeMergeCompleted, &runevents.MergeCompleted{Actor: actor(), SHA: short(sha, 100)})
}

func (r *run) transition(f *fields) {
	if f.To == "" {
		r.d.problem(r.now, "a phase.transition without a target phase")
		return
	}
	r.enter(string(f.To))
}

// enter opens a phase and closes the previous one. Transitions are optional in the log; starting agents
// show the phase as well.
func (r *run) enter(phase string) {
	phase = strings.ToLower(short(loose.String(phase), 100))
	if phase == "" || phase == r.phase {
		return
	}
	r.leave()
	r.phase = phase
	r.tell(runevents.TypePhaseStarted, &runevents.PhaseStarted{Actor: actor(), Phase: phase, Cycle: r.cycle})
}

func (r *run) leave() {
	if r.phase == "" {
		return
	}
	r.tell(runevents.TypePhaseCompleted, &runevents.PhaseCompleted{Actor: actor(), Phase: r.phase, Cycle: r.cycle})
	r.phase = ""
}

// decision emits a fact if the decision says that the suite broke after the merge, as ArcheFlow's rollback
// logs it (RW-30).
func (r *run) decision(f *fields) {
	if first(f.What, f.Input) != "post_merge_test" || first(f.Chosen, f.Decision) != "revert" {
		return
	}
	r.tell(runevents.TypeTestCompleted, &runevents.TestCompleted{
		Actor: actor(), Scope: "unscoped", Passed: false, Suite: "post_merge_test", AfterMerge: new(true), SHA: short(first(f.SHA, f.Commit), 100),
	})
}

// shadow passes on a shadow that ArcheFlow itself detected.
func (r *run) shadow(f *fields) {
	of := r.now.role(f)
	if of == "" || f.Shadow == "" {
		r.d.problem(r.now, "a shadow.detected without an archetype or a shadow")
		return
	}
	r.tell(runevents.TypeShadowReported, &runevents.ShadowReported{
		Actor: actor(), AgentID: sessionid.Valid(string(r.now.Agent)), Archetype: of, Shadow: short(f.Shadow, 100),
		Cycle: r.cycle, Trigger: short(f.Trigger, maxFindingText),
	})
}

// cost adds the amount that a line reports as spent, unless the line ends the run, whose amount is the
// total.
func (r *run) cost(f *fields) {
	if r.now.Type == "cost.recorded" && f.Cost == (money{}) {
		f.Cost = f.Recorded
	}
	if f.Cost.unread && !r.ended {
		r.d.problem(r.now, "estimated_cost_usd is not an amount; the reported cost is too low from here on")
	}
	total := r.spent + f.Cost.amount
	if ends[string(r.now.Type)] {
		total = max(r.spent, f.Cost.amount)
	}
	if r.ended || total == r.spent {
		return
	}
	r.spent = total
	r.tell(runevents.TypeSpendReported, &runevents.SpendReported{Actor: actor(), Spent: rounded(total), Limit: r.limit, Unit: "usd"})
}

// ends are the types that end a run.
var ends = map[string]bool{"run.complete": true, "run.completed": true}

// rounded rounds money to a millionth, so that a sum of cents reads as one.
func rounded(v float64) float64 {
	out, _ := strconv.ParseFloat(fmt.Sprintf("%.6f", v), 64)
	return out
}
