package wave

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Any legal run is silent: waves of any size, solo ones among them, with and
// without scaffolds, agents in any order, work that the hook stopped in time,
// agents that an operator takes out.
func TestLegalRunsAreSilent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := play(t)
		waves := rapid.IntRange(1, 4).Draw(t, "waves")
		letters := make([]string, waves)
		solo := true
		for i := range letters {
			letters[i] = "ABCDEFGH"[:rapid.IntRange(1, 8).Draw(t, "agents")]
			solo = solo && len(letters[i]) == 1
		}
		require.Empty(t, p.all(opening(t, letters, solo)...))
		for i, l := range letters {
			require.Empty(t, p.all(legalWave(t, i+1, l)...))
			require.Equal(t, WaveVerified, p.s.Phase)
		}
		require.Empty(t, p.all(finished()))
		require.Equal(t, Complete, p.s.Phase)
		for _, clause := range p.judged.Conformance {
			require.Contains(t, []runevents.Conformity{runevents.ConformityHeld, runevents.ConformityNotSeen}, clause.Conformity, clause.ID)
		}
	})
}

func opening(t *rapid.T, letters []string, solo bool) []any {
	out := []any{protocolRun()}
	scaffolds := []string{}
	if !solo && rapid.Bool().Draw(t, "scaffolds") {
		scaffolds = append(scaffolds, "pkg/types.go")
	}
	out = append(out, scouted(len(letters), scaffolds...))
	for i, l := range letters {
		out = append(out, planned(i+1, l))
	}
	out = append(out, approved())
	if len(scaffolds) > 0 {
		out = append(out, &runevents.ScaffoldStarted{Actor: scaffolder, Wave: 1}, &runevents.ScaffoldCommitted{Actor: scaffolder, Wave: 1, SHA: "5caf"})
	}
	return out
}

func legalWave(t *rapid.T, wave int, letters string) []any {
	if len(letters) == 1 && rapid.Bool().Draw(t, "on main") {
		onMain := &runevents.GitCommit{Actor: infra, SHA: fmt.Sprint("solo", wave), Branch: "main", Author: "dev", Letter: letters, Files: []string{file(wave, letters)}}
		alone := &runevents.AgentStarted{Actor: orchestrator, AgentID: "alone", Wave: wave, Letter: letters, CWD: "/srv/shop", Branch: "main"}
		return []any{launched(wave), alone, onMain, completed(wave, letters), tested(true)}
	}
	out := []any{hookIn()}
	order := rapid.Permutation(split(letters)).Draw(t, "order")
	for _, l := range order {
		out = append(out, worktree(wave, l))
	}
	if rapid.Bool().Draw(t, "told") {
		out = append(out, launched(wave))
	}
	for _, l := range order {
		out = append(out, started(wave, l))
	}
	out = append(out, atWork(t, wave, order)...)
	if rapid.Bool().Draw(t, "asked ahead") {
		out = append(out, &runevents.GateRequested{Actor: orchestrator, Gate: "merge", Wave: wave})
	}
	out = append(out, closing(wave, letters)...)
	if rapid.Bool().Draw(t, "lint") {
		out = append(out, &runevents.GitCommit{Actor: infra, SHA: fmt.Sprint("lint", wave), Branch: "main", Author: "conductor", AllowMain: true, Purpose: "lint_fix", Files: []string{"a.go"}})
	}
	return out
}

// atWork lets agents check, commit and report, each in its order, all of them
// mixed.
func atWork(t *rapid.T, wave int, letters []string) []any {
	var out []any
	todo := map[string][]any{}
	for _, l := range letters {
		todo[l] = []any{checked(wave, l, true), commit(wave, l), completed(wave, l)}
		if rapid.IntRange(0, 4).Draw(t, "stopped") == 0 {
			stopped := mainCommit(l)
			stopped.Blocked = true
			todo[l] = append([]any{todo[l][0], stopped}, todo[l][1:]...)
		}
	}
	open := append([]string{}, letters...)
	for len(open) > 0 {
		i := rapid.IntRange(0, len(open)-1).Draw(t, "who")
		l := open[i]
		out, todo[l] = append(out, todo[l][0]), todo[l][1:]
		if len(todo[l]) == 0 {
			open = append(open[:i], open[i+1:]...)
		}
	}
	return out
}

// A run with one empty branch never gets past the trip wire: whatever comes, no
// gate lets the wave be merged and no next wave begin until an operator chose.
func TestTripWireHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := play(t)
		p.all(join(begun(2), running(1, "AB"), working(1, "AB", "B"), []any{mergeRequested(1)})...)
		require.True(t, p.s.awaiting())
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			data := drawn(t)
			if _, chosen := data.(*runevents.RecoverySelected); chosen {
				continue
			}
			if d, is := data.(*runevents.AgentDescoped); is && d.Actor.Kind == runevents.ActorHuman {
				continue
			}
			p.feed(data)
			require.True(t, p.s.awaiting())
			require.Equal(t, Blocked, p.s.Phase)
			if gate := p.gate(); gate != nil {
				require.NotEqual(t, runevents.DecisionAllow, gate.Decision)
			}
		}
		p.feed(recovered(1, 1))
		require.False(t, p.s.awaiting())
	})
}

var actors = []runevents.Actor{human, orchestrator, scout, scaffolder, waveAgent, infra, {}}

// drawn is any event of a run, sense or not.
func drawn(t *rapid.T) any {
	actor := rapid.SampledFrom(actors).Draw(t, "actor")
	wave := rapid.SampledFrom([]int{-1, 0, 1, 1, 1, 2, 2, 3, 1 << 40}).Draw(t, "wave")
	letter := rapid.SampledFrom([]string{"A", "B", "C", "", "aa", "✗"}).Draw(t, "letter")
	yes := rapid.Bool().Draw(t, "yes")
	files := rapid.SampledFrom([][]string{nil, {"a.go"}, {"t.go", "b.go"}, {"", "//", "../x"}, {"IMPL.md"}}).Draw(t, "files")
	name := rapid.SampledFrom([]string{"main", "wave1-agent-A", "wave1-agent-B", "wave2-agent-A", "", "topic"}).Draw(t, "branch")
	counts := rapid.SampledFrom([][]runevents.WaveBranch{nil, {{Letter: "A", CommitCount: 1}}, {{Letter: "A", CommitCount: -3}, {Letter: "B", CommitCount: 1}}, {{}}}).Draw(t, "counts")
	number := rapid.SampledFrom([]int{-1, 0, 1, 5}).Draw(t, "number")
	switch rapid.IntRange(0, 30).Draw(t, "event") {
	case 0:
		return &runevents.RunStarted{Actor: actor, Kind: rapid.SampledFrom([]string{"saw", "build", ""}).Draw(t, "kind")}
	case 1:
		return &runevents.RunCompleted{Actor: actor, Outcome: rapid.SampledFrom([]string{"success", "failure"}).Draw(t, "outcome")}
	case 2:
		return &runevents.ScoutCompleted{Actor: actor, Verdict: rapid.SampledFrom([]string{"SUITABLE", "NOT SUITABLE", ""}).Draw(t, "verdict"), Waves: number, Scaffolds: []runevents.Scaffold{{File: "t.go", Status: rapid.SampledFrom([]string{"pending", "committed (a)", ""}).Draw(t, "status")}}}
	case 3, 4:
		return &runevents.PlanApproved{Actor: actor}
	case 5:
		return &runevents.ContractChanged{Actor: actor, Files: files}
	case 6:
		return &runevents.ScaffoldStarted{Actor: actor, Wave: wave}
	case 7:
		return &runevents.ScaffoldCommitted{Actor: actor, Files: files, SHA: rapid.SampledFrom([]string{"", "a"}).Draw(t, "sha"), CompileOK: &yes}
	case 8:
		return &runevents.ScaffoldFailed{Actor: actor, Files: files}
	case 9:
		return &runevents.WavePlanned{Actor: actor, Wave: wave, Agents: []runevents.WaveAgent{{Letter: "A", Owns: files}, {Letter: letter, Owns: []string{"b.go"}}}}
	case 10:
		return &runevents.GateRequested{Actor: actor, Gate: rapid.SampledFrom([]runevents.Gate{runevents.GateLaunch, runevents.GateWorktrees, runevents.GateMerge, runevents.GateSpawn}).Draw(t, "gate"), Wave: wave, Agents: counts}
	case 11, 12:
		return &runevents.WaveStarted{Actor: actor, Wave: wave}
	case 13, 14:
		return &runevents.AgentStarted{Actor: actor, AgentID: "id" + letter, Session: "s" + letter, Wave: wave, Letter: letter, CWD: name, Branch: name}
	case 15, 16:
		return &runevents.AgentCompleted{Actor: actor, AgentID: "id" + letter, Outcome: rapid.SampledFrom([]string{"success", "failure"}).Draw(t, "outcome"), Status: rapid.SampledFrom([]string{"", "complete", "partial", "blocked"}).Draw(t, "status"), Wave: wave, Letter: letter, FilesChanged: files, Commits: &number, Commit: name, Output: "completion report"}
	case 17:
		return &runevents.AgentDescoped{Actor: actor, Wave: wave, Letter: letter}
	case 18, 19:
		return &runevents.WorktreeCreated{Actor: actor, Path: ".claude/worktrees/" + name, Branch: name, Wave: wave, Letter: letter}
	case 20:
		return &runevents.WorktreeRemoved{Actor: actor, Path: ".claude/worktrees/" + name, Branch: name}
	case 21:
		return &runevents.HookInstalled{Actor: actor, Backup: yes}
	case 22:
		return &runevents.HookRemoved{Actor: actor, Backup: yes}
	case 23:
		return &runevents.Field0Checked{Actor: actor, Wave: wave, Letter: letter, OK: yes}
	case 24, 25:
		return &runevents.GitCommit{Actor: actor, SHA: letter, Branch: name, Author: rapid.SampledFrom([]string{"", "conductor", "scout-1", "agent-A", "Jo"}).Draw(t, "author"), Letter: letter, Files: files, Blocked: yes, AllowMain: number > 0, Message: letter}
	case 26:
		return &runevents.GitMerge{Actor: actor, Branch: name, Into: "main", Output: rapid.SampledFrom([]string{"", "Already up to date."}).Draw(t, "output")}
	case 27:
		return &runevents.WaveMergeRequested{Actor: actor, Wave: wave, Agents: counts, UncommittedOnMain: files}
	case 28:
		return &runevents.WaveMerged{Actor: actor, Wave: wave}
	case 29:
		return &runevents.RecoverySelected{Actor: actor, Wave: wave, Option: number}
	default:
		return &runevents.TestCompleted{Actor: actor, Scope: rapid.SampledFrom([]string{"", "scoped", "unscoped"}).Draw(t, "scope"), Passed: yes, Suite: letter}
	}
}

// asks says how many gates an event asks for: exactly that many are decided.
func asks(s *State, data any) (int, bool) {
	switch d := data.(type) {
	case *runevents.GateRequested:
		return boolean(d.Gate != "spawn"), true
	case *runevents.WaveStarted, *runevents.WaveMergeRequested:
		return 1, true
	case *runevents.WorktreeCreated:
		return boolean(s.Active), true
	case *runevents.ScaffoldCommitted, *runevents.ScaffoldFailed, *runevents.AgentStarted:
		return 0, false // may shut one unasked; asks at the first agent
	}
	return 0, true
}

func boolean(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Nonsense panics nowhere, is told the same by a state that went through JSON
// (player), answers each question once and stays within the bounds.
func TestNonsense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := play(t)
		small := *p.c
		small.Kept = Kept{Waves: 2, Agents: 3, Paths: 12, PathBytes: 64, Commits: 2, Judgements: 20, Incidents: 3, Actors: 2, References: 3}
		p.c = &small
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			data := drawn(t)
			p.feed(data)
			if want, sure := asks(&p.s, data); sure {
				got := 0
				for _, c := range p.last {
					got += boolean(c.Type == runevents.TypeGateDecided)
				}
				require.Equal(t, want, got, "%T", data)
			}
			if gate := p.gate(); gate != nil {
				require.NotEmpty(t, gate.Rule)
				require.NotEmpty(t, gate.Why)
				require.LessOrEqual(t, len(gate.Evidence), small.Kept.References)
			}
		}
		require.LessOrEqual(t, len(p.s.Waves), 2)
		require.LessOrEqual(t, p.s.paths(), 12)
		require.LessOrEqual(t, len(p.s.Judged), 20)
		require.LessOrEqual(t, len(p.s.Incidents), 3)
	})
}

// A publisher alone gets nothing through: without the operator's and the
// infrastructure's events no gate of a run of two agents ever allows a launch.
func TestPublishersCannotApprove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := play(t)
		p.feed(protocolRun())
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			data := drawn(t)
			if actor, ok := events.ActorOf(data); ok && (actor.Kind == runevents.ActorHuman || actor.Kind == runevents.ActorInfra) {
				continue
			}
			p.feed(data)
			if gate := p.gate(); gate != nil && gate.Gate == runevents.GateLaunch {
				require.Equal(t, runevents.DecisionDeny, gate.Decision)
			}
		}
		require.False(t, p.s.Plan.Approved)
	})
}

// Data that is missing or of another type does nothing.
func TestEmptyEvents(t *testing.T) {
	c := config(t)
	for _, d := range events.All() {
		for _, data := range []any{nil, d.New()} {
			for _, state := range []State{{}, {Active: true}, {Active: true, Phase: WaveExecuting, Current: 1, Waves: []*Wave{{Number: 1}}}} {
				event := events.Event{ID: "e", Type: d.Type, Data: data, Credential: d.Role}
				require.NotPanics(t, func() {
					v := run.NewContext(step.Input{Event: event})
					c.Decide(&state, v)
					_, err := json.Marshal(state)
					require.NoError(t, err)
				}, d.Type)
			}
		}
	}
}

func BenchmarkIgnored(b *testing.B) {
	c := config(b)
	in := step.Input{Event: events.Event{ID: "e", Type: sessionevents.TypeTurnEvaluated, Data: &sessionevents.TurnEvaluated{Session: "s"}}}
	var s State
	b.ReportAllocs()
	for b.Loop() {
		c.Decide(&s, run.NewContext(in))
	}
}
