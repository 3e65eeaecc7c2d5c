package wave

import (
	"testing"

	"github.com/stretchr/testify/require"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func TestCleanRunIsSilent(t *testing.T) {
	p := play(t)
	require.Empty(t, p.all(protocolRun(), scouted(2, "pkg/types.go"), approved(),
		&runevents.ScaffoldStarted{Actor: scaffolder, Wave: 1, Files: []string{"pkg/types.go"}},
		&runevents.GitCommit{Actor: infra, SHA: "5caf", Branch: "main", Author: "scaffold-1", Files: []string{"pkg/types.go"}},
		&runevents.ScaffoldCommitted{Actor: scaffolder, Wave: 1, Files: []string{"pkg/types.go"}, SHA: "5caf"}))
	require.Equal(t, WavePending, p.s.Phase)
	require.Empty(t, p.all(join(running(1, "ABCDEF"), working(1, "ABCDEF", ""), closing(1, "ABCDEF"), running(2, "AB"), working(2, "AB", ""), closing(2, "AB"))...))
	require.Equal(t, WaveVerified, p.s.Phase)
	require.Empty(t, p.all(finished()))
	require.Equal(t, Complete, p.s.Phase)
	gates := map[string]int{}
	for _, line := range p.history {
		gates[line]++
	}
	require.Equal(t, map[string]int{"gate worktrees allow": 8, "gate launch allow": 2, "gate merge allow": 2}, gates)
	for _, clause := range p.judged.Conformance {
		require.Contains(t, []runevents.Conformity{runevents.ConformityHeld, runevents.ConformityNotSeen}, clause.Conformity, clause.ID)
	}
	require.Empty(t, p.judged.Isolation.Incidents)
}

func TestSoloWaveIsSilent(t *testing.T) { // WP-13: one agent, on main
	p := play(t)
	onMain := &runevents.GitCommit{Actor: infra, SHA: "a1", Branch: "main", Author: "dev", Letter: "A", Files: []string{"pkg/w1a.go"}}
	alone := &runevents.AgentStarted{Actor: orchestrator, AgentID: "one", Wave: 1, Letter: "A", CWD: "/srv/shop", Branch: "main"}
	require.Empty(t, p.all(append(begun(2), planned(1, "A"), launched(1), alone, onMain, completed(1, "A"), tested(true))...))
	require.Equal(t, WaveVerified, p.s.Phase)
	require.Empty(t, p.all(join(running(2, "AB"), working(2, "AB", ""), closing(2, "AB"), []any{finished()})...))
}

func TestInertElsewhere(t *testing.T) {
	p := play(t)
	one := 1
	for _, data := range []any{
		&runevents.RunStarted{Actor: orchestrator, Kind: "build"}, &runevents.PhaseStarted{Actor: orchestrator, Phase: "do"},
		&runevents.AgentStarted{Actor: orchestrator, AgentID: "maker"}, mainCommit("A"), worktree(1, "A"), hookIn(), hookOut(), tested(false), tested(true),
		&runevents.AgentCompleted{Actor: orchestrator, AgentID: "maker", Outcome: "success", Commits: &one}, &runevents.MergeCompleted{Actor: orchestrator, SHA: "a"}, finished(),
		&sessionevents.TurnEvaluated{Session: "s"}, &sessionevents.SessionOpened{Session: "s"},
	} {
		require.Empty(t, p.feed(data))
	}
	require.Equal(t, State{Kind: "build"}, p.s)
	require.Nil(t, p.judged.Conformance)
}

func TestGateAhead(t *testing.T) {
	p := play(t)
	p.all(begun(1)...)
	p.all(planned(1, "AB"))
	before := p.s
	p.feed(&runevents.GateRequested{Actor: orchestrator, Gate: "launch", Wave: 1})
	require.Equal(t, runevents.DecisionAllow, p.gate().Decision, p.gate().Why)
	require.True(t, p.gate().Ahead)
	require.Equal(t, "e5", p.gate().Asked)
	p.feed(&runevents.GateRequested{Actor: orchestrator, Gate: "merge", Wave: 1})
	require.Equal(t, runevents.DecisionDeny, p.gate().Decision)
	require.Len(t, p.last, 1, "no break for a question")
	require.Equal(t, before, p.s)
	require.Empty(t, p.feed(&runevents.GateRequested{Actor: orchestrator, Gate: "next_phase"}), "the pipeline's")
}

func TestGateElsewhere(t *testing.T) {
	p := play(t)
	p.feed(&runevents.RunStarted{Actor: orchestrator, Kind: "build"})
	require.Equal(t, []string{"gate launch allow"}, p.feed(&runevents.GateRequested{Actor: orchestrator, Gate: "launch", Wave: 1}))
	require.Equal(t, []string{"gate merge allow"}, p.feed(&runevents.GateRequested{Actor: orchestrator, Gate: "merge"}))
	require.Equal(t, State{Kind: "build"}, p.s)
	p.feed(&runevents.ReviewCompleted{Actor: orchestrator, Reviewer: "sage", Verdict: "approved", Checklist: []runevents.ChecklistItem{{Item: "docs", Result: "failed"}}})
	require.Equal(t, []string{"gate merge PL-41 deny"}, p.feed(&runevents.GateRequested{Actor: orchestrator, Gate: "merge"}))
	require.False(t, p.s.Active)
}

func TestFailedChecklist(t *testing.T) { // PL-41
	review := func(by string, cycle int, result string) any {
		return &runevents.ReviewCompleted{Actor: orchestrator, Reviewer: by, Cycle: cycle, Verdict: "approved", Checklist: []runevents.ChecklistItem{{Item: "docs", Result: result}, {Item: "tests", Result: "passed"}}}
	}
	base := join(begun(1), running(1, "AB"), working(1, "AB", ""))
	deny := []string{"gate merge PL-41 deny"}
	playScenes(t, map[string]scene{
		"failed":                  {join(base, []any{review("sage", 1, "failed")}), mergeRequested(1), deny},
		"passed by another":       {join(base, []any{review("sage", 1, "failed"), review("guardian", 1, "passed")}), mergeRequested(1), deny},
		"unverifiable now":        {join(base, []any{review("sage", 1, "failed"), review("sage", 2, "unverifiable")}), mergeRequested(1), deny},
		"passed by the same":      {join(base, []any{review("sage", 1, "failed"), review("sage", 1, "passed")}), mergeRequested(1), nil},
		"passed in a later cycle": {join(base, []any{review("sage", 1, "failed"), review("guardian", 2, "passed")}), mergeRequested(1), nil},
		"passed":                  {join(base, []any{review("sage", 1, "passed")}), mergeRequested(1), nil},
	})
}

func TestTripWire(t *testing.T) {
	p := tripped(t)
	gate := p.gate()
	require.Equal(t, runevents.DecidedByOperator, gate.WhoDecides)
	var texts []string
	for _, o := range gate.Options {
		require.NotEmpty(t, o.Tradeoff)
		texts = append(texts, o.ID+" "+o.Text)
	}
	require.Equal(t, []string{"1 Re-run wave (safest)", "2 Investigate", "3 Accept as-is"}, texts)
	halt := p.last[2].Data.(*runevents.WiggumBreak)
	require.Equal(t, runevents.WIPNone, halt.WIPAction)
	require.Equal(t, gate.Options, halt.Options)
	require.Contains(t, halt.Reason, "agent B of wave 1")
	require.Equal(t, Blocked, p.s.Phase)
	require.True(t, p.s.awaiting())
}

func TestTripWireCounts(t *testing.T) {
	request := func(counts ...int) any {
		d := &runevents.WaveMergeRequested{Actor: orchestrator, Wave: 1}
		for i, n := range counts {
			d.Agents = append(d.Agents, runevents.WaveBranch{Letter: string(rune('A' + i)), CommitCount: n})
		}
		return d
	}
	counted := func(b int) any {
		return &runevents.GitCounted{Actor: infra, Branches: []runevents.BranchCount{{Branch: "wave1-agent-A", Commits: 1}, {Branch: "wave1-agent-B", Commits: b}}, UncommittedOnMain: []string{"x.go"}}
	}
	base := join(begun(1), running(1, "AB"))
	claimed := func(list []any) []any { // as an orchestrator without infrastructure tells it
		var out []any
		for _, one := range list {
			switch d := one.(type) {
			case *runevents.WorktreeCreated, *runevents.HookInstalled, *runevents.GitCommit:
			case *runevents.AgentCompleted:
				copied := *d
				copied.Commit = "c"
				out = append(out, &copied)
			default:
				out = append(out, one)
			}
		}
		return out
	}
	tests := map[string]struct {
		before []any
		ask    any
		want   []string
	}{
		"all have commits":              {join(base, working(1, "AB", "")), mergeRequested(1), nil},
		"the claim agrees":              {join(base, working(1, "AB", "")), request(1, 1), nil},
		"one is empty":                  {join(base, working(1, "AB", "A")), mergeRequested(1), []string{"gate merge WP-1 deny", "escalate wave/isolation_failure", "break isolation_failure"}},
		"a claim does not fill it":      {join(base, working(1, "AB", "B")), request(1, 3), []string{"W WP-1 CLAIM-DIFFERS", "gate merge WP-1 deny", "escalate wave/isolation_failure", "break isolation_failure"}},
		"a claim of none counts":        {join(base, working(1, "AB", "")), request(0, 1), []string{"W WP-1 CLAIM-DIFFERS", "gate merge WP-1 deny", "escalate wave/isolation_failure", "break isolation_failure"}},
		"a claim of more is told":       {join(base, working(1, "AB", "")), request(2, 1), []string{"W WP-1 CLAIM-DIFFERS"}},
		"counted by infrastructure":     {join(base, working(1, "AB", "B"), []any{counted(2)}), mergeRequested(1), nil},
		"counted empty":                 {join(base, working(1, "AB", ""), []any{counted(0)}), mergeRequested(1), []string{"gate merge WP-1 deny", "escalate wave/isolation_failure", "break isolation_failure"}},
		"descoped by an operator":       {join(base, working(1, "AB", "B"), []any{&runevents.AgentDescoped{Actor: human, Wave: 1, Letter: "B"}}), mergeRequested(1), nil},
		"descoped by the orchestrator":  {join(base, working(1, "AB", "B"), []any{&runevents.AgentDescoped{Actor: orchestrator, Wave: 1, Letter: "B"}}), mergeRequested(1), []string{"gate merge WP-1 deny", "escalate wave/isolation_failure", "break isolation_failure"}},
		"a blocked commit is none":      {join(base, working(1, "AB", "B"), []any{&runevents.GitCommit{Actor: infra, Branch: "wave1-agent-B", Letter: "B", Blocked: true}}), mergeRequested(1), []string{"gate merge WP-1 deny", "escalate wave/isolation_failure", "break isolation_failure"}},
		"a claimed commit is none":      {join(base, working(1, "AB", "B"), []any{&runevents.GitCommit{Actor: orchestrator, Branch: "wave1-agent-B", SHA: "z"}}), mergeRequested(1), []string{"gate merge WP-1 deny", "escalate wave/isolation_failure", "break isolation_failure"}},
		"only claims, all have commits": {claimed(join(base, working(1, "AB", ""))), request(1, 1), nil},
		"only claims, one is empty":     {claimed(join(base, working(1, "AB", ""))), request(1, 0), []string{"gate merge WP-1 deny", "escalate wave/isolation_failure", "break isolation_failure"}},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			p := play(t)
			p.all(c.before...)
			got := p.all(c.ask)
			require.Equal(t, c.want, got)
		})
	}
}

func TestClaimedCountsAreMarked(t *testing.T) {
	p := play(t)
	p.all(begun(1)...)
	p.all(planned(1, "AB"), launched(1), started(1, "A"), started(1, "B"))
	p.feed(&runevents.WaveMergeRequested{Actor: orchestrator, Wave: 1, Agents: []runevents.WaveBranch{{Letter: "A", CommitCount: 1}, {Letter: "B", CommitCount: 1}}})
	require.Equal(t, runevents.DecisionAllow, p.gate().Decision, p.gate().Why)
	require.Contains(t, p.gate().Why, "claimed: no infrastructure")
}

func TestRecovery(t *testing.T) {
	t.Run("1 runs the wave again", func(t *testing.T) {
		p := tripped(t)
		require.Empty(t, p.all(recovered(1, 1)))
		require.Equal(t, WavePending, p.s.Phase)
		again := join([]any{removed(1, "A"), removed(1, "B"), worktree(1, "A"), worktree(1, "B"), launched(1)},
			[]any{started(1, "A"), checked(1, "A", true), started(1, "B"), checked(1, "B", true)})
		require.Empty(t, p.all(again...))
		require.Equal(t, []string{"gate merge WP-1 deny", "escalate wave/isolation_failure", "break isolation_failure"}, p.feed(mergeRequested(1)), "what was discarded does not count")
		require.Empty(t, p.all(recovered(1, 1)))
		require.Empty(t, p.all(join(again, working(1, "AB", ""), closing(1, "AB"))...))
		require.Equal(t, WaveVerified, p.s.Phase)
	})
	t.Run("2 stays until a request is allowed", func(t *testing.T) {
		p := tripped(t)
		require.Empty(t, p.all(recovered(1, 2)))
		require.Equal(t, Blocked, p.s.Phase)
		require.Empty(t, p.all(commit(1, "B")))
		require.Empty(t, p.all(closing(1, "AB")...))
		require.Equal(t, WaveVerified, p.s.Phase)
		require.Nil(t, p.s.Trip)
	})
	t.Run("3 taints", func(t *testing.T) {
		p := tripped(t)
		require.Empty(t, p.all(recovered(1, 3)))
		require.Equal(t, WaveVerified, p.s.Phase)
		noted := mainCommit("")
		noted.AllowMain, noted.Purpose, noted.Message = true, "post_merge", "Wave 1, isolation failure accepted"
		require.Empty(t, p.all(noted, tested(true), hookOut(), removed(1, "A"), removed(1, "B")))
		require.Empty(t, p.all(join(running(2, "AB"), working(2, "AB", ""), closing(2, "AB"), []any{finished()})...))
		require.Equal(t, []int{1}, p.judged.Isolation.Tainted)
	})
	t.Run("3 must be noted and tested", func(t *testing.T) {
		p := tripped(t)
		p.all(recovered(1, 3))
		hidden := mainCommit("")
		hidden.AllowMain, hidden.Purpose, hidden.Message = true, "post_merge", "Wave 1 complete"
		require.Equal(t, []string{"V WP-16 TAINT-NOT-NOTED"}, p.feed(hidden))
		require.Equal(t, []string{"W WP-18 HOOK-NOT-REMOVED", "W WP-16 ACCEPTED-UNTESTED"}, p.feed(finished()))
	})
	t.Run("of another wave", func(t *testing.T) {
		p := tripped(t)
		require.Equal(t, []string{"W WP-16 RECOVERY-MISMATCH"}, p.feed(recovered(2, 1)))
		require.True(t, p.s.awaiting())
	})
	t.Run("nothing to recover from", func(t *testing.T) {
		p := play(t)
		p.all(begun(1)...)
		require.Equal(t, []string{"V WP-16 ILLEGAL-TRANSITION"}, p.feed(recovered(1, 1)))
	})
}

// WP-2: an operator who leaves the wave out means the one that waits.
func TestRecoveryWithoutAWave(t *testing.T) {
	p := play(t)
	p.all(join(begun(1), running(1, "AB"), []any{commit(1, "A"), mergeRequested(1)})...)
	require.Equal(t, Blocked, p.s.Phase)
	require.Empty(t, p.all(recovered(0, 1)))
	require.Equal(t, WavePending, p.s.Phase)
}

func TestAutonomousRecovery(t *testing.T) { // WP-2
	by := func(actor runevents.Actor) any {
		return &runevents.RecoverySelected{Actor: actor, Wave: 1, Option: 3}
	}
	allow := mainCommit("")
	allow.AllowMain, allow.Purpose = true, "post_merge"
	tests := map[string]struct {
		act  any
		want []string
	}{
		"the orchestrator chooses": {by(orchestrator), []string{"W EV-10 UNPROVEN-CLAIM", "V WP-2 SAW-AUTONOMOUS-RECOVERY", "break autonomous_recovery"}},
		"an agent chooses":         {by(waveAgent), []string{"W EV-10 UNPROVEN-CLAIM", "V WP-2 SAW-AUTONOMOUS-RECOVERY", "break autonomous_recovery"}},
		"a commit to main":         {allow, []string{"V WP-2 SAW-AUTONOMOUS-RECOVERY", "break autonomous_recovery"}},
		"a merge":                  {gitMerge(1, "A"), []string{"V WP-2 SAW-AUTONOMOUS-RECOVERY", "break autonomous_recovery", "V WP-4 MERGE-WITHOUT-ALLOW", "break merged_without_gate"}},
		"the wave is told merged":  {merged(1), []string{"V WP-2 SAW-AUTONOMOUS-RECOVERY", "break autonomous_recovery", "V WP-3 MERGED-WITHOUT-GATE", "break merged_without_gate"}},
		"the next wave":            {launched(2), []string{"V WP-2 SAW-AUTONOMOUS-RECOVERY", "break autonomous_recovery", "gate launch WP-2 deny", "V WP-14 WAVE-OUT-OF-SEQUENCE"}},
		"an agent of the next":     {started(2, "A"), []string{"V WP-2 SAW-AUTONOMOUS-RECOVERY", "break autonomous_recovery", "gate launch WP-2 deny", "V WP-14 WAVE-OUT-OF-SEQUENCE"}},
		"the same wave again":      {launched(1), []string{"V WP-2 SAW-AUTONOMOUS-RECOVERY", "break autonomous_recovery", "gate launch WP-2 deny"}},
		"asking for the merge":     {mergeRequested(1), []string{"gate merge WP-1 deny"}},
		"tests that pass":          {tested(true), nil},
		"a report":                 {completed(1, "A"), nil},
		"a blocked commit":         {&runevents.GitCommit{Actor: infra, Branch: "main", Letter: "A", Blocked: true}, nil},
		"a commit on a branch":     {commit(1, "A"), nil},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			p := tripped(t)
			require.Equal(t, c.want, p.feed(c.act))
			require.True(t, p.s.awaiting(), "only an operator goes on")
			require.Empty(t, p.all(recovered(1, 2)))
		})
	}
}

// Where the run's beginning is not known, the wave whose merge is allowed is the
// current one.
func TestAnAllowedMergeIsOfTheCurrentWave(t *testing.T) {
	p := play(t)
	p.all(join(begun(2), running(1, "AB"), working(1, "AB", ""))...)
	for _, s := range []*State{&p.s, &p.twin} {
		s.Phase, s.Current = "", 0
	}
	p.all(mergeRequested(1))
	require.Equal(t, runevents.DecisionAllow, p.gate().Decision, p.gate().Why)
	require.Equal(t, 1, p.s.Current)
}
