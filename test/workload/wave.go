package workload

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// wave is a Scout-and-Wave run of one wave with two agents, as it will be published.
type wave struct {
	number   int
	goesOn   bool   // the orchestrator merges though nobody allowed it
	idle     string // letter of the agent whose branch stays empty
	descoped bool   // an operator takes it out of the wave
	owns     [2]string
	path     string // of the second worktree, "" as it must be
	onMain   string // letter of the agent that commits to main
	approved bool
	output   string // of the merge
}

var (
	human = runevents.Actor{Kind: runevents.ActorHuman, ID: "ada"}
	infra = runevents.Actor{Kind: runevents.ActorInfra, ID: "git-hook"}
)

func soundWave() wave {
	return wave{number: 1, owns: [2]string{"orders/page.go", "orders/list.go"}, approved: true, output: "Merge made by the 'ort' strategy."}
}

// tell returns the whole run.
func (w wave) tell(run string, start time.Time) []events.Event {
	t := &teller{run: run, at: start}
	t.say(0, runevents.TypeRunStarted, &runevents.RunStarted{Actor: orchestrator, Workspace: "/srv/" + run, Project: run, Kind: "saw", Goal: "Add pages to the list of orders."})
	scout := runevents.Actor{Kind: runevents.ActorScout, ID: "scout"}
	t.say(pause, runevents.TypeScoutCompleted, &runevents.ScoutCompleted{Actor: scout, Verdict: "SUITABLE", Waves: 1})
	t.say(pause, runevents.TypeWavePlanned, &runevents.WavePlanned{Actor: orchestrator, Wave: 1, Agents: []runevents.WaveAgent{
		{Letter: "A", Owns: []string{w.owns[0]}}, {Letter: "B", Owns: []string{w.owns[1]}},
	}})
	if w.approved {
		t.say(pause, runevents.TypePlanApproved, &runevents.PlanApproved{Actor: human, By: "ada"})
	}
	w.whole(t)
	t.say(pause, runevents.TypeRunCompleted, &runevents.RunCompleted{Actor: orchestrator, Outcome: "success"})
	return t.list
}

// whole is the wave from its worktrees to its verification.
func (w wave) whole(t *teller) {
	t.say(pause, runevents.TypeHookInstalled, &runevents.HookInstalled{Actor: infra, Backup: true})
	for _, letter := range letters {
		t.say(pause, runevents.TypeWorktreeCreated, &runevents.WorktreeCreated{Actor: infra, Path: w.worktree(letter), Branch: w.branch(letter), Wave: w.number, Letter: letter})
	}
	t.say(pause, runevents.TypeWaveStarted, &runevents.WaveStarted{Actor: orchestrator, Wave: w.number})
	w.work(t)
	w.merge(t)
}

var letters = []string{"A", "B"}

func (w wave) branch(letter string) string { return fmt.Sprintf("wave%d-agent-%s", w.number, letter) }

func (w wave) worktree(letter string) string {
	if letter == "B" && w.path != "" {
		return w.path
	}
	return ".claude/worktrees/" + w.branch(letter)
}

func agentOf(letter string) runevents.Actor {
	return runevents.Actor{Kind: runevents.ActorWaveAgent, ID: "agent-" + letter}
}

// work is what the agents do.
func (w wave) work(t *teller) {
	for _, letter := range letters {
		t.say(time.Second, runevents.TypeAgentStarted, &runevents.AgentStarted{
			Actor: agentOf(letter), AgentID: "agent-" + letter, Wave: w.number, Letter: letter, CWD: w.worktree(letter), Branch: w.branch(letter), Isolation: "worktree",
		})
		t.say(time.Second, runevents.TypeField0Checked, &runevents.Field0Checked{Actor: agentOf(letter), Wave: w.number, Letter: letter, OK: true})
	}
	for i, letter := range letters {
		sha := fmt.Sprintf("c0ffee%d%d", w.number, i)
		if letter == w.onMain {
			t.say(pause, runevents.TypeGitCommit, &runevents.GitCommit{Actor: infra, SHA: "bad" + sha, Branch: "main", Author: "agent-" + letter, Letter: letter, Files: []string{w.owns[i]}})
		}
		if letter != w.idle {
			t.say(pause, runevents.TypeGitCommit, &runevents.GitCommit{Actor: infra, SHA: sha, Branch: w.branch(letter), Author: "agent-" + letter, Letter: letter, Files: []string{w.owns[i]}})
		}
		t.say(pause, runevents.TypeAgentCompleted, &runevents.AgentCompleted{
			Actor: agentOf(letter), AgentID: "agent-" + letter, Outcome: runevents.RunOutcomeSuccess, Status: "complete", FilesChanged: []string{w.owns[i]}, Commit: sha, Wave: w.number, Letter: letter,
		})
	}
	if w.descoped {
		t.say(pause, runevents.TypeAgentDescoped, &runevents.AgentDescoped{Actor: human, Wave: w.number, Letter: w.idle, By: "ada", Why: "not needed"})
	}
}

// merge is the end of the wave.
func (w wave) merge(t *teller) {
	request := &runevents.WaveMergeRequested{Actor: orchestrator, Wave: w.number, Base: "main"}
	for _, letter := range letters {
		if letter != w.idle || !w.descoped {
			request.Agents = append(request.Agents, runevents.WaveBranch{Letter: letter, Branch: w.branch(letter), CommitCount: 1})
		}
	}
	t.say(pause, runevents.TypeWaveMergeRequested, request)
	if w.idle != "" && !w.descoped && !w.goesOn {
		return // the trip wire has it
	}
	t.say(pause, runevents.TypeWaveMerged, &runevents.WaveMerged{Actor: orchestrator, Wave: w.number, Output: w.output})
	for _, letter := range letters {
		t.say(pause, runevents.TypeWorktreeRemoved, &runevents.WorktreeRemoved{Actor: infra, Path: w.worktree(letter), Branch: w.branch(letter), Wave: w.number, Letter: letter})
	}
	t.say(pause, runevents.TypeHookRemoved, &runevents.HookRemoved{Actor: infra, Restored: true})
	t.say(pause, runevents.TypeTestCompleted, &runevents.TestCompleted{Actor: orchestrator, Scope: "unscoped", Passed: true, Suite: "all", AfterMerge: new(true)})
}

// waved returns a dysfunction of a wave.
func waved(name, stops string, says []string, sick, clean func(*wave)) dysfunction {
	tell := func(change func(*wave)) telling {
		return func(run string, _ *rand.Rand, start time.Time) []events.Event {
			w := soundWave()
			change(&w)
			return w.tell(run, start)
		}
	}
	return dysfunction{name: name, stops: stops, says: says, tellSick: tell(sick), tellClean: tell(clean)}
}

// tripped accompanies the trip wire's break: the orchestrator claims a commit that infrastructure did not
// see.
var tripped = []string{"escalation wave wave/isolation_failure", "gate merge deny WP-1", "warning CLAIM-DIFFERS"}

// The wave protocol's breaks, and some of what it forbids.
var waves = []dysfunction{
	waved("isolation_failure", "hard isolation_failure", tripped,
		func(w *wave) { w.idle = "B" },
		func(w *wave) { w.idle, w.descoped = "B", true }),
	waved("autonomous_recovery", "hard isolation_failure, hard autonomous_recovery, hard merged_without_gate", tripped,
		func(w *wave) { w.idle, w.goesOn = "B", true },
		func(w *wave) { w.goesOn = true }),
	waved("merged_without_gate", "hard merged_without_gate", []string{"violation MERGED-NOTHING"},
		func(w *wave) { w.output = "Already up to date." },
		func(w *wave) {}),
	corrected("wave wave/commit_main", waved("commit to main", "", []string{"violation SAW-COMMIT-MAIN"},
		func(w *wave) { w.onMain = "A" },
		func(w *wave) {})),
}

// corrected returns a dysfunction of a wave whose agent is sent a correction.
func corrected(issue string, d dysfunction) dysfunction {
	d.says = append([]string{"correction " + issue}, d.says...)
	return d
}
