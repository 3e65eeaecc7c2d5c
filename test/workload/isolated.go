package workload

import (
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

const (
	spawnDenied = "gate spawn deny PL-20"
	spawnWarned = "gate spawn allow_with_warning PL-20"
)

// judge changes who is spawned to judge; if its gate is denied, it is requested again with the correct agent.
func (p *pipe) judge(how func(*runevents.AgentSpawned)) {
	sound := *p.steps[p.place("judge")].data.(*runevents.AgentSpawned)
	change(p, "judge", how)
	p.insert("judge", pause, &sound)
}

// PL-20.
var isolation = []dysfunction{
	piped("PL-20 mode", says(spawnDenied, "violation ISOLATION-MODE"),
		func(p *pipe) { p.judge(func(d *runevents.AgentSpawned) { d.Mode = "full" }) },
		func(p *pipe) {
			p.judge(func(d *runevents.AgentSpawned) { d.Role, d.Mode, d.DeclaredInputs = "reviewer", "full", nil })
		}),
	piped("PL-20 conclusion", says(spawnDenied, "violation CONTAMINATION"),
		func(p *pipe) {
			p.judge(func(d *runevents.AgentSpawned) { d.DeclaredInputs = append(d.DeclaredInputs, "review_findings") })
		},
		func(p *pipe) {
			p.judge(func(d *runevents.AgentSpawned) { d.DeclaredInputs = append(d.DeclaredInputs, "tier2") })
		}),
	piped("PL-20 undeclared", says(spawnDenied, "violation CONTAMINATION"),
		func(p *pipe) {
			p.judge(func(d *runevents.AgentSpawned) { d.ContextKeys = append(slices.Clone(d.ContextKeys), "chat") })
		},
		func(p *pipe) {
			p.judge(func(d *runevents.AgentSpawned) { d.ContextKeys = d.ContextKeys[:2] })
		}),
	piped("PL-20 starved", says(spawnWarned, "warning STARVATION"),
		func(p *pipe) {
			change(p, "coder", func(d *runevents.AgentSpawned) { d.RequiredKeys = append(d.RequiredKeys, "discovery_handoff") })
		},
		func(p *pipe) {
			change(p, "coder", func(d *runevents.AgentSpawned) { d.RequiredKeys = append(d.RequiredKeys, "shaping_handoff") })
		}),
	piped("PL-20 without allow", says(spawnDenied, "violation ISOLATION-MODE", "violation SPAWN-WITHOUT-ALLOW"),
		func(p *pipe) {
			change(p, "judge", func(d *runevents.AgentSpawned) { d.Mode = "task-only" })
			p.insert("verdict", pause, &runevents.AgentCompleted{Actor: orchestrator, AgentID: "judge-1", Phase: "review", Cycle: 1, Outcome: runevents.RunOutcomeSuccess, Verdict: "clean"})
		},
		func(p *pipe) {
			p.insert("verdict", pause, &runevents.AgentCompleted{Actor: orchestrator, AgentID: "judge-1", Phase: "review", Cycle: 1, Outcome: runevents.RunOutcomeSuccess, Verdict: "clean"})
		}),
}

const mergeDenied = "gate merge deny PL-41"

// fails has the review fail its second item.
func (p *pipe) fails() {
	change(p, "verdict", func(d *runevents.ReviewCompleted) { d.Checklist[1].Result = "failed" })
}

// PL-40 … PL-42.
var scopes = []dysfunction{
	piped("PL-40 miscount", says("warning SCOPE-MISCOUNT"),
		func(p *pipe) {
			change(p, "scope", func(d *runevents.ScopeChecked) { d.Criteria[1].Status = "partial" })
		},
		func(p *pipe) {
			change(p, "scope", func(d *runevents.ScopeChecked) { d.Criteria[1].Status, d.MissingCount = "missing", number(1) })
		}),
	piped("PL-41 failed", says(mergeDenied),
		func(p *pipe) {
			sound := *p.steps[p.place("verdict")].data.(*runevents.ReviewCompleted)
			sound.Checklist, sound.Cycle = slices.Clone(sound.Checklist), 2
			p.fails()
			p.insert("verdict", pause, &sound)
		},
		func(p *pipe) {
			change(p, "verdict", func(d *runevents.ReviewCompleted) { d.Checklist[1].Result = "unverifiable" })
		}),
	piped("PL-41 merged", says(mergeDenied, mergeDenied, "violation MERGED-WITH-FAILED-CHECKLIST"),
		(*pipe).fails, as), // once for the review, once for who asks to merge
	piped("PL-41 not reported", says("warning CHECKLIST-NOT-REPORTED"),
		func(p *pipe) { change(p, "verdict", func(d *runevents.ReviewCompleted) { d.Checklist[1].Result = "" }) },
		func(p *pipe) {
			change(p, "verdict", func(d *runevents.ReviewCompleted) {
				d.Checklist = append(d.Checklist, runevents.ChecklistItem{Item: "the log names no customer", Result: "passed"})
			})
		}),
	piped("PL-42 plan edited", says("interrupt pipeline Source edited in the plan phase"),
		func(p *pipe) { p.writes("src/early.go") },
		func(p *pipe) { p.writes("docs/design.md") }),
	piped("PL-42 slices", says("warning SEVERAL-SLICES"),
		func(p *pipe) {
			p.insert("task", pause, &runevents.TaskCompleted{Actor: orchestrator, Task: "slice-2", Outcome: runevents.RunOutcomeSuccess})
		},
		func(p *pipe) {
			p.insert("task", pause, &runevents.TaskCompleted{Actor: orchestrator, Task: "slice-1", Outcome: runevents.RunOutcomeSuccess})
		}),
	piped("PL-42 markdown", says("warning MARKDOWN-COMMITTED"),
		func(p *pipe) {
			change(p, "commit", func(d *runevents.GitCommit) { d.Files = append(d.Files, "PLAN_SUMMARY.md") })
		},
		func(p *pipe) {
			change(p, "commit", func(d *runevents.GitCommit) { d.Files = append(d.Files, "PLAN_SUMMARY.md") })
			p.insert("shaping done", pause, &runevents.ProposalPublished{Actor: orchestrator, Files: []string{p.choice.file, p.choice.test, "PLAN_SUMMARY.md"}})
		}),
}

// writes has the scout write a file after its checkpoint.
func (p *pipe) writes(file string) { p.write("assumptions", "scout", 9, file) }

// write inserts a turn that writes a file after a step.
func (p *pipe) write(behind, who string, n int, file string) {
	block := call("Write", map[string]string{"file_path": "/srv/" + p.run + "/" + file, "content": "one line\n"}, "File created successfully.")
	p.put(behind, pipeStep{after: pause, about: "-" + who, data: p.turnOf(who, n, block)})
}
