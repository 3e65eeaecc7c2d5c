package wave

import (
	"testing"

	"github.com/stretchr/testify/require"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

func TestScaffoldFailure(t *testing.T) { // WP-10
	no := false
	listed := []any{protocolRun(), scouted(1, "t.go"), approved(), &runevents.ScaffoldStarted{Actor: scaffolder}}
	want := []string{"gate worktrees WP-10 deny", "escalate wave/scaffold_failed"}
	failed := &runevents.ScaffoldFailed{Actor: scaffolder, Files: []string{"t.go"}, Reason: "undefined: Policy"}
	playScenes(t, map[string]scene{
		"failed":              {listed, failed, want},
		"does not compile":    {listed, &runevents.ScaffoldCommitted{Actor: scaffolder, SHA: "a", CompileOK: &no}, want},
		"no sha":              {listed, &runevents.ScaffoldCommitted{Actor: scaffolder}, want},
		"worktree after it":   {join(listed, []any{failed}), worktree(1, "A"), []string{"gate worktrees WP-10 deny", "V WP-9 WORKTREE-BEFORE-SCAFFOLD"}},
		"again, not revised":  {join(listed, []any{failed}), &runevents.ScaffoldStarted{Actor: scaffolder}, []string{"V WP-16 ILLEGAL-TRANSITION"}},
		"again, approved":     {join(listed, []any{failed, approved(), &runevents.ScaffoldStarted{Actor: scaffolder}}), &runevents.ScaffoldCommitted{Actor: scaffolder, SHA: "a"}, nil},
		"not said to compile": {listed, &runevents.ScaffoldCommitted{Actor: scaffolder, SHA: "a"}, nil},
	})
}

func TestContracts(t *testing.T) { // WP-11
	change := &runevents.ContractChanged{Actor: orchestrator, Files: []string{"t.go"}}
	frozen := join(begun(1), running(1, "AB"), []any{change}, working(1, "AB", ""))
	blocked := join(begun(1), running(1, "AB"), []any{with(completed(1, "A"), func(d *runevents.AgentCompleted) { d.Status, d.Commit = "blocked", "" })})
	playScenes(t, map[string]scene{
		"in the review":           {[]any{protocolRun(), scouted(1)}, change, nil},
		"after the approval":      {begun(1), change, []string{"W WP-11 CONTRACT-CHANGED"}},
		"launch after that":       {join(begun(1), []any{change, planned(1, "AB")}), launched(1), []string{"gate launch WP-11 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"worktree after that":     {join(begun(1), []any{change}), worktree(1, "A"), []string{"gate worktrees WP-11 deny"}},
		"worktree, approved anew": {join(begun(1), []any{change, approved()}), worktree(1, "A"), nil},
		"after the worktree":      {join(begun(1), []any{worktree(1, "A")}), change, []string{"V WP-11 CONTRACT-FROZEN"}},
		"merge after that":        {frozen, mergeRequested(1), []string{"gate merge WP-11 deny"}},
		"one of two made anew":    {join(frozen, []any{worktree(1, "A"), commit(1, "A")}), mergeRequested(1), []string{"gate merge WP-11 deny"}},
		"all made anew":           {join(frozen, []any{worktree(1, "A"), worktree(1, "B"), commit(1, "A"), commit(1, "B")}), mergeRequested(1), nil},
		"a blocked wave (E8)":     {blocked, change, []string{"W WP-11 CONTRACT-CHANGED"}},
	})
}

func TestRoles(t *testing.T) { // WP-12 (I6)
	by := func(author, purpose string, files ...string) any {
		return &runevents.GitCommit{Actor: infra, SHA: "o", Branch: "main", Author: author, AllowMain: author == "conductor", Purpose: purpose, Files: files}
	}
	running := join(begun(1), running(1, "AB"))
	solo := join(begun(1), []any{planned(1, "A"), launched(1)})
	scaffolds := []any{protocolRun(), scouted(1, "t.go"), approved()}
	playScenes(t, map[string]scene{
		"the orchestrator, source":             {running, by("conductor", "", "a.go"), []string{"V WP-12 ORCHESTRATOR-COMMITS-SOURCE"}},
		"the orchestrator, another aim":        {running, by("conductor", "feature", "a.go"), []string{"V WP-12 ORCHESTRATOR-COMMITS-SOURCE"}},
		"the orchestrator, lint":               {running, by("conductor", "lint_fix", "a.go"), nil},
		"the orchestrator, after a merge":      {running, by("conductor", "post_merge", "a.go"), nil},
		"the orchestrator, spelled otherwise":  {running, by("conductor", "Post-merge", "a.go"), nil},
		"the orchestrator, nearly an aim":      {running, by("conductor", "linting_rules", "a.go"), []string{"V WP-12 ORCHESTRATOR-COMMITS-SOURCE"}},
		"the orchestrator, no source":          {running, by("conductor", "", "README.md"), nil},
		"the orchestrator, solo":               {solo, by("conductor", "", "a.go"), []string{"V WP-12 ORCHESTRATOR-COMMITS-SOURCE"}},
		"the orchestrator, the plan":           {running, by("conductor", "", "docs/IMPL-shop.md"), []string{"V WP-12 ORCHESTRATOR-WRITES-PLAN"}},
		"the orchestrator, a scaffold":         {scaffolds, by("conductor", "", "t.go"), []string{"V WP-12 ORCHESTRATOR-WRITES-SCAFFOLD"}},
		"it tells of the scaffold":             {scaffolds, &runevents.ScaffoldCommitted{Actor: orchestrator, SHA: "a"}, []string{"V WP-12 ORCHESTRATOR-WRITES-SCAFFOLD"}},
		"the orchestrator as an agent":         {join(begun(1), []any{planned(1, "A"), launched(1)}), &runevents.AgentStarted{Actor: orchestrator, AgentID: "conductor", Wave: 1, Letter: "A"}, []string{"V WP-12 ORCHESTRATOR-AS-AGENT"}},
		"the orchestrator on a branch":         {running, &runevents.GitCommit{Actor: infra, SHA: "o", Branch: "wave1-agent-A", Author: "conductor", Files: []string{"a.go"}}, []string{"V WP-12 ORCHESTRATOR-AS-AGENT"}},
		"the orchestrator as an agent on main": {solo, &runevents.GitCommit{Actor: infra, SHA: "o", Branch: "main", Author: "orchestrator", Letter: "A", Files: []string{"a.go"}}, []string{"V WP-12 ORCHESTRATOR-AS-AGENT"}},
		"the scout, source":                    {[]any{protocolRun()}, by("scout-1", "", "a.go"), []string{"V WP-12 SCOUT-COMMITS-SOURCE"}},
		"the scout, its plan":                  {[]any{protocolRun()}, by("scout-1", "", "docs/IMPL-shop.md"), nil},
		"an agent, solo on main":               {solo, by("dev", "", "a.go"), nil},
		"the scaffold agent, its scaffold":     {scaffolds, by("scaffold-1", "", "t.go"), nil},
	})
}

func TestSequence(t *testing.T) { // WP-14 (I3)
	one := join(begun(2), running(1, "AB"), working(1, "AB", ""))
	mergedOne := join(one, []any{mergeRequested(1), merged(1), hookOut()})
	late := []string{"gate launch WP-14 deny", "V WP-14 WAVE-OUT-OF-SEQUENCE"}
	playScenes(t, map[string]scene{
		"while it runs":           {one, launched(2), late},
		"merged, not verified":    {mergedOne, launched(2), late},
		"verified scoped only":    {join(mergedOne, []any{&runevents.TestCompleted{Actor: orchestrator, Scope: "scoped", Passed: true}}), launched(2), late},
		"verification failed":     {join(mergedOne, []any{tested(false)}), launched(2), late},
		"verified again":          {join(mergedOne, []any{tested(false), tested(true)}), launched(2), nil},
		"verified":                {join(mergedOne, []any{tested(true)}), launched(2), nil},
		"by its first agent":      {mergedOne, with(started(2, "A"), func(d *runevents.AgentStarted) { d.CWD, d.Branch, d.Isolation = "", "", "" }), late},
		"its worktree":            {mergedOne, worktree(2, "A"), []string{"gate worktrees WP-14 deny", "V WP-14 WAVE-OUT-OF-SEQUENCE"}},
		"a wave is left out":      {join(mergedOne, []any{tested(true)}), launched(3), late},
		"scaffolding later":       {join(mergedOne, []any{tested(true)}), &runevents.ScaffoldStarted{Actor: scaffolder, Wave: 2}, []string{"V WP-14 SCAFFOLD-AFTER-FIRST-WAVE"}},
		"scaffolding, wave 2":     {begun(2), &runevents.ScaffoldStarted{Actor: scaffolder, Wave: 2}, []string{"V WP-14 SCAFFOLD-AFTER-FIRST-WAVE"}},
		"scaffolding, wave 1":     {[]any{protocolRun(), scouted(2, "t.go"), approved()}, &runevents.ScaffoldStarted{Actor: scaffolder, Wave: 1}, nil},
		"planning ahead is legal": {one, planned(2, "AB"), nil},
	})
}

func TestSequenceAfterASoloWave(t *testing.T) { // WP-13, WP-14: tests before the work verify nothing of it
	late := []string{"gate launch WP-14 deny", "V WP-14 WAVE-OUT-OF-SEQUENCE"}
	alone := with(started(1, "A"), func(d *runevents.AgentStarted) { d.CWD, d.Branch, d.Isolation = "/srv/shop", "main", "" })
	base := join(begun(2), []any{planned(1, "A"), launched(1)})
	onMain := &runevents.GitCommit{Actor: infra, SHA: "s", Branch: "main", Author: "Jo Doe", Files: []string{file(1, "A")}}
	playScenes(t, map[string]scene{
		"tested while it runs":           {join(base, []any{alone, tested(true)}), launched(2), late},
		"tested after its end":           {join(base, []any{alone, completed(1, "A"), tested(true)}), launched(2), nil},
		"tested after its commit":        {join(base, []any{alone, onMain, tested(true)}), launched(2), nil},
		"its begin is not told":          {join(base, []any{tested(true)}), launched(2), nil},
		"tested while it runs, and then": {join(base, []any{alone, tested(true), completed(1, "A"), tested(true)}), launched(2), nil},
	})
}

func TestNamesOfOthers(t *testing.T) { // WP-5: a branch belongs to the agent it names as soon as that one has it
	p := play(t)
	wrong := with(worktree(1, "B"), func(d *runevents.WorktreeCreated) {
		d.Path, d.Branch = ".claude/worktrees/wave2-agent-B", "wave2-agent-B"
	})
	p.all(join(begun(2), []any{planned(1, "AB"), wrong})...)
	p.all(commit(2, "B"))
	require.Equal(t, 1, p.s.Waves.numbered(1).agent("B").Commits, "nobody else has the branch")
	p.all(planned(2, "AB"), worktree(2, "B"), with(commit(2, "B"), func(d *runevents.GitCommit) { d.SHA = "later" }))
	require.Equal(t, 1, p.s.Waves.numbered(1).agent("B").Commits)
	require.Equal(t, 1, p.s.Waves.numbered(2).agent("B").Commits)
}

func TestSmallLetters(t *testing.T) { // E5: the letter is the name's, however a publisher writes it
	p := play(t)
	small := with(worktree(1, "A"), func(d *runevents.WorktreeCreated) { d.Letter = "a" })
	require.Empty(t, p.all(join(begun(1), []any{planned(1, "AB"), small})...))
	require.Len(t, p.s.Waves.numbered(1).Agents, 2)
	require.NotNil(t, p.s.Waves.numbered(1).agent("a").Worktree)
}

func TestReports(t *testing.T) { // WP-15
	base := join(begun(1), running(1, "AB"), []any{commit(1, "A"), commit(1, "B")})
	report := func(change func(*runevents.AgentCompleted)) any { return with(completed(1, "A"), change) }
	status := func(s string) any { return report(func(d *runevents.AgentCompleted) { d.Status = s }) }
	playScenes(t, map[string]scene{
		"complete":                {base, completed(1, "A"), nil},
		"partial":                 {base, status("partial"), []string{"W WP-15 AGENT-BLOCKED"}},
		"blocked":                 {base, status("blocked"), []string{"W WP-15 AGENT-BLOCKED"}},
		"failed":                  {base, report(func(d *runevents.AgentCompleted) { d.Outcome, d.Status, d.Commit = "failure", "", "" }), []string{"W WP-15 AGENT-BLOCKED"}},
		"no commit":               {base, report(func(d *runevents.AgentCompleted) { d.Commit = "" }), []string{"V WP-15 REPORT-WITHOUT-COMMIT"}},
		"uncommitted":             {base, report(func(d *runevents.AgentCompleted) { d.Commit = "uncommitted" }), []string{"V WP-15 REPORT-WITHOUT-COMMIT"}},
		"blocked and uncommitted": {base, report(func(d *runevents.AgentCompleted) { d.Status, d.Commit = "blocked", "Uncommitted" }), []string{"V WP-15 REPORT-WITHOUT-COMMIT", "W WP-15 AGENT-BLOCKED"}},
		"report in the chat":      {base, report(func(d *runevents.AgentCompleted) { d.Output = "### Agent A - Completion Report\nstatus: complete" }), []string{"V WP-15 REPORT-ONLY-IN-CHAT"}},
		"report in both": {base, report(func(d *runevents.AgentCompleted) {
			d.Output, d.FilesChanged = "Completion report", []string{"pkg/w1a.go", "docs/IMPL-shop.md"}
		}), nil},
		"says where it reported": {base, report(func(d *runevents.AgentCompleted) { d.Output = "Done.\nThe completion report is in docs/IMPL-shop.md." }), nil},
		"says where, and reports": {base, report(func(d *runevents.AgentCompleted) {
			d.Output = "I read the IMPL doc.\n## Completion Report\nstatus: complete"
		}), []string{"V WP-15 REPORT-ONLY-IN-CHAT"}},
		"a word for no commit":     {base, report(func(d *runevents.AgentCompleted) { d.Commit = "(none)" }), []string{"V WP-15 REPORT-WITHOUT-COMMIT"}},
		"no commit yet":            {base, report(func(d *runevents.AgentCompleted) { d.Commit = "Pending" }), []string{"V WP-15 REPORT-WITHOUT-COMMIT"}},
		"uncommitted, in words":    {base, report(func(d *runevents.AgentCompleted) { d.Commit = "uncommitted changes" }), []string{"V WP-15 REPORT-WITHOUT-COMMIT"}},
		"git's null commit":        {base, report(func(d *runevents.AgentCompleted) { d.Commit = "0000000" }), []string{"V WP-15 REPORT-WITHOUT-COMMIT"}},
		"timed out":                {base, report(func(d *runevents.AgentCompleted) { d.Outcome, d.Status, d.Commit = "timeout", "", "" }), []string{"W WP-15 AGENT-BLOCKED"}},
		"just an answer":           {base, report(func(d *runevents.AgentCompleted) { d.Output = "All done." }), nil},
		"merge, one partial":       {join(base, []any{status("partial"), completed(1, "B")}), mergeRequested(1), []string{"gate merge WP-15 deny"}},
		"merge, one still at work": {join(base, []any{completed(1, "A")}), mergeRequested(1), []string{"gate merge WP-15 deny"}},
		"merge, done after all":    {join(base, []any{status("partial"), completed(1, "B"), completed(1, "A")}), mergeRequested(1), nil},
		"merge, partial descoped":  {join(base, []any{status("partial"), completed(1, "B"), &runevents.AgentDescoped{Actor: human, Wave: 1, Letter: "A"}}), mergeRequested(1), nil},
		"not suitable, a wave":     {[]any{protocolRun(), &runevents.ScoutCompleted{Actor: scout, Verdict: "NOT SUITABLE"}}, launched(1), []string{"gate launch WP-15 deny", "V WP-15 NOT-SUITABLE-IGNORED"}},
		"not suitable, the end":    {[]any{protocolRun(), &runevents.ScoutCompleted{Actor: scout, Verdict: "NOT SUITABLE"}}, finished(), nil},
		"with caveats":             {[]any{protocolRun(), &runevents.ScoutCompleted{Actor: scout, Verdict: "SUITABLE WITH CAVEATS"}, approved()}, launched(1), nil},
		"by its id":                {base, &runevents.AgentCompleted{Actor: orchestrator, AgentID: "id-wave1-agent-A", Outcome: "success", Commit: "uncommitted"}, []string{"V WP-15 REPORT-WITHOUT-COMMIT"}},
	})
}

func TestLaunchedBlocking(t *testing.T) { // WP-15 (E1)
	base := join(begun(1), []any{planned(1, "ABC"), hookIn(), worktree(1, "A"), worktree(1, "B"), worktree(1, "C"), launched(1)})
	a := []any{started(1, "A"), checked(1, "A", true)}
	done := []any{commit(1, "A"), completed(1, "A")}
	playScenes(t, map[string]scene{
		"at once":              {join(base, a), started(1, "B"), nil},
		"one after the other":  {join(base, a, done), started(1, "B"), []string{"W WP-15 LAUNCHED-BLOCKING"}},
		"a third one later":    {join(base, a, []any{started(1, "B")}, done, []any{commit(1, "B"), completed(1, "B")}), started(1, "C"), nil},
		"told once":            {join(base, a, done, []any{started(1, "B"), checked(1, "B", true), commit(1, "B"), completed(1, "B")}), started(1, "C"), nil},
		"the same agent again": {join(base, a, []any{with(completed(1, "A"), func(d *runevents.AgentCompleted) { d.Status = "partial" })}), started(1, "A"), nil},
	})
}

func TestVerification(t *testing.T) { // WP-15 (E10, E13)
	ready := join(begun(1), running(1, "AB"), working(1, "AB", ""), []any{mergeRequested(1), merged(1)})
	run := func(actor runevents.Actor, scope, suite string) any {
		return &runevents.TestCompleted{Actor: actor, Scope: scope, Passed: true, Suite: suite}
	}
	existing := join(begun(1), running(1, "AB"), []any{run(waveAgent, "scoped", "unit")}, working(1, "AB", ""), []any{mergeRequested(1), merged(1)})
	listed := join(begun(1), running(1, "AB"), []any{with(commit(1, "A"), func(d *runevents.GitCommit) { d.Files = []string{"pkg/w1a_test.go"} })}, working(1, "AB", "A"), []any{mergeRequested(1), merged(1)})
	playScenes(t, map[string]scene{
		"compiled only, tests ran before":   {existing, run(orchestrator, "unscoped", "go build ./..."), []string{"W WP-15 COMPILE-ONLY"}},
		"compiled only, test files exist":   {listed, run(orchestrator, "unscoped", "compile"), []string{"W WP-15 COMPILE-ONLY"}},
		"compiled only, no tests are known": {ready, run(orchestrator, "unscoped", "build"), nil},
		"cargo check only":                  {existing, run(orchestrator, "unscoped", "cargo check"), []string{"W WP-15 COMPILE-ONLY"}},
		"make check runs tests":             {existing, run(orchestrator, "unscoped", "make check"), nil},
		"tested":                            {existing, run(orchestrator, "unscoped", "go test ./..."), nil},
		"built and tested":                  {existing, run(orchestrator, "unscoped", "build and test"), nil},
		"an agent, unscoped":                {join(begun(1), running(1, "AB")), run(waveAgent, "unscoped", "unit"), []string{"W WP-15 UNSCOPED-BY-AGENT"}},
		"an agent, scoped":                  {join(begun(1), running(1, "AB")), run(waveAgent, "scoped", "unit"), nil},
		"a solo agent, unscoped":            {join(begun(1), []any{planned(1, "A"), launched(1)}), run(waveAgent, "unscoped", "unit"), nil},
	})
}

func TestIllegalTransitions(t *testing.T) { // WP-16
	illegal := []string{"V WP-16 ILLEGAL-TRANSITION"}
	verified := join(begun(1), running(1, "AB"), working(1, "AB", ""), closing(1, "AB"))
	done := join(verified, []any{finished()})
	playScenes(t, map[string]scene{
		"approved before the scout":     {[]any{protocolRun()}, approved(), illegal},
		"launched before the scout":     {[]any{protocolRun()}, launched(1), []string{"gate launch WP-9 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"launched before the approval":  {[]any{protocolRun(), scouted(1)}, launched(1), []string{"gate launch WP-9 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"launched twice":                {join(begun(1), []any{launched(1)}), launched(1), []string{"gate launch WP-16 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"a merge of nothing that runs":  {join(begun(1), []any{planned(1, "AB"), worktree(1, "A"), worktree(1, "B"), commit(1, "A"), commit(1, "B")}), mergeRequested(1), []string{"gate merge WP-16 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"a merge asked for twice":       {join(begun(1), running(1, "AB"), working(1, "AB", ""), []any{mergeRequested(1)}), mergeRequested(1), []string{"gate merge WP-16 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"a recovery nobody asked for":   {begun(1), &runevents.RecoverySelected{Actor: orchestrator, Wave: 1, Option: 2}, []string{"W EV-10 UNPROVEN-CLAIM", "V WP-2 SAW-AUTONOMOUS-RECOVERY"}},
		"complete before it is":         {join(begun(1), running(1, "AB")), finished(), []string{"W WP-18 HOOK-NOT-REMOVED", "V WP-16 ILLEGAL-TRANSITION"}},
		"given up":                      {join(begun(1), []any{launched(1)}), &runevents.RunCompleted{Actor: orchestrator, Outcome: "cancelled"}, nil},
		"the scout again":               {join(begun(1), []any{launched(1)}), scouted(1), illegal},
		"the scout in the review":       {[]any{protocolRun(), scouted(1)}, scouted(2), nil},
		"after the end":                 {done, launched(2), []string{"gate launch WP-16 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"a verified wave again":         {verified, launched(1), []string{"gate launch WP-16 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"approved once more":            {begun(1), approved(), nil},
		"the scout after not suitable":  {[]any{protocolRun(), &runevents.ScoutCompleted{Actor: scout, Verdict: "NOT SUITABLE"}}, scouted(1), illegal},
		"joined under way":              {[]any{planned(3, "AB")}, launched(3), []string{"gate launch WP-9 deny"}},
		"joined under way and approved": {[]any{planned(3, "AB"), approved()}, launched(3), nil},
	})
}
