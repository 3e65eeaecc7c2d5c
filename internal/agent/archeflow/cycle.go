package archeflow

import (
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// boundary ends a cycle. If its findings are unknown, the cycle is left out and reported: a cycle without
// findings would make findings appear and disappear (RW-30).
func (r *run) boundary(f *fields) {
	r.leave()
	list, known := r.open(f)
	if known {
		r.tell(runevents.TypeCycleCompleted, r.cycleCompleted(f, list))
	} else {
		r.d.problem(r.now, "a cycle.boundary without findings: neither an artifact nor a review has them; the cycle is left out")
	}
	r.found = r.found || len(list) > 0
	r.cycle++
	r.reviews, r.reviewed = nil, false
	clear(r.durations)
}

// open returns the findings of the cycle: those that the orchestrator consolidated, or else those of the
// cycle's reviews, each once.
func (r *run) open(f *fields) (list []runevents.Finding, known bool) {
	list, known, damaged := r.files.findings(r.cycle)
	if known && damaged == nil {
		return list, true
	}
	if damaged != nil {
		r.d.problem(r.now, "findings-cycle-%d.json %v", r.cycle, damaged)
	}
	list = once(r.reviews)
	if n := f.counted(); n != nil {
		return list, (*n == 0) == (len(list) == 0)
	}
	if r.reviewed {
		return list, true
	}
	return list, !r.found && damaged == nil && f.decided() != "continue" // there is more to do
}

// decided returns ArcheFlow's decision at the end of a cycle, in the contract's words.
func (f *fields) decided() string {
	return decisions[strings.ToLower(string(first(f.Decision, f.Next)))]
}

func (r *run) cycleCompleted(f *fields, list []runevents.Finding) *runevents.CycleCompleted {
	if strings.EqualFold(string(first(f.Decision, f.Next)), "merge") {
		putOff(list)
	}
	score := f.Convergence.value
	if score == nil {
		score = f.Score.value
	}
	if score == nil {
		score = r.files.score(r.cycle)
	}
	return &runevents.CycleCompleted{
		Actor: actor(), Cycle: r.cycle, Findings: list, ConvergenceScore: score,
		Decision: f.decided(), LimitReached: f.Exit == "max_cycles",
	}
}

// decisions maps ArcheFlow's decisions at the end of a cycle to the contract's.
var decisions = map[string]string{
	"cycle_back": "continue", "continue": "continue", "next_cycle": "continue",
	"merge": "stop", "stop": "stop", "escalate": "stop",
}

// putOff marks the warnings that a merge leaves behind: they do not block it, and they are not fixed
// (RW-15).
func putOff(list []runevents.Finding) {
	for i := range list {
		if list[i].Severity == runevents.SeverityWarning && (list[i].State == "" || list[i].State == "open") {
			list[i].State = "deferred"
		}
	}
}

// once drops findings that another reviewer reported as well: by id, or else by file, category and text.
func once(list []runevents.Finding) []runevents.Finding {
	var out []runevents.Finding
	seen := map[[4]string]bool{}
	for _, f := range list {
		key := [4]string{f.ID}
		if f.ID == "" {
			key = [4]string{"", f.File, f.Category, f.Text}
		}
		if !seen[key] {
			seen[key] = true
			out = append(out, f)
		}
	}
	return out
}
