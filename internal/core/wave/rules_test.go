package wave

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// scene is a run so far, one more event, and what it leads to beside gates that allow.
type scene struct {
	before []any
	act    any
	want   []string
}

func playScenes(t *testing.T, scenes map[string]scene) {
	t.Helper()
	for name, c := range scenes {
		t.Run(name, func(t *testing.T) {
			p := play(t)
			p.all(c.before...)
			require.Equal(t, c.want, p.all(c.act))
		})
	}
}

func with[T any](data any, change func(*T)) any {
	copied := *data.(*T)
	change(&copied)
	return &copied
}

func TestMerged(t *testing.T) { // WP-3
	ready := join(begun(2), running(1, "AB"), working(1, "AB", ""))
	asked := join(ready, []any{mergeRequested(1)})
	nothing := with(merged(1), func(d *events.WaveMerged) { d.Output = "Already up to date." })
	playScenes(t, map[string]scene{
		"allowed":                 {asked, merged(1), nil},
		"never asked":             {ready, merged(1), []string{"V WP-3 MERGED-WITHOUT-GATE", "break merged_without_gate"}},
		"merged nothing":          {asked, nothing, []string{"V WP-3 MERGED-NOTHING", "break merged_without_gate"}},
		"git merged nothing":      {asked, with(gitMerge(1, "A"), func(d *events.GitMerge) { d.Output = "Already up-to-date." }), []string{"V WP-3 MERGED-NOTHING", "break merged_without_gate"}},
		"git merged, never asked": {ready, gitMerge(1, "A"), []string{"V WP-4 MERGE-WITHOUT-ALLOW", "break merged_without_gate"}},
		"main into a branch":      {ready, &events.GitMerge{Actor: infra, Branch: "main", Into: "wave1-agent-A"}, nil},
		"another branch":          {ready, &events.GitMerge{Actor: infra, Branch: "dependabot", Into: "main"}, nil},
		"twice":                   {join(asked, []any{merged(1)}), merged(1), []string{"V WP-16 ILLEGAL-TRANSITION"}},
		"asked ahead only":        {join(ready, []any{&events.GateRequested{Actor: orchestrator, Gate: "merge", Wave: 1}}), merged(1), []string{"V WP-3 MERGED-WITHOUT-GATE", "break merged_without_gate"}},
	})
	p := play(t)
	p.all(ready...)
	p.all(merged(1), tested(true))
	require.Equal(t, Blocked, p.s.Phase, "passing tests never clear it")
	require.Contains(t, p.all(launched(2)), "V WP-14 WAVE-OUT-OF-SEQUENCE")
}

func TestCommitToMain(t *testing.T) { // WP-4
	working := join(begun(1), running(1, "AB"))
	author := func(name string, allow bool) any {
		return &events.GitCommit{Actor: infra, SHA: "m", Branch: "main", Author: name, AllowMain: allow, Purpose: "lint_fix", Files: []string{"a.go"}}
	}
	agents := mainCommit("A")
	allowed := mainCommit("A")
	allowed.AllowMain = true
	blocked := mainCommit("A")
	blocked.Blocked, blocked.SHA = true, ""
	removedAll := join(working, []any{removed(1, "A"), removed(1, "B")})
	playScenes(t, map[string]scene{
		"an agent":                        {working, agents, []string{"V WP-4 SAW-COMMIT-MAIN", "interrupt s-A"}},
		"an agent by its id":              {working, author("id-wave1-agent-B", false), []string{"V WP-4 SAW-COMMIT-MAIN", "interrupt s-B"}},
		"an agent by its name":            {working, author("agent-b", false), []string{"V WP-4 SAW-COMMIT-MAIN", "interrupt s-B"}},
		"an agent with the variable":      {working, allowed, []string{"V WP-4 SAW-COMMIT-MAIN", "interrupt s-A"}},
		"an unknown author":               {working, author("Jo Doe", false), []string{"V WP-4 SAW-COMMIT-MAIN"}},
		"no author":                       {working, author("", false), []string{"V WP-4 SAW-COMMIT-MAIN"}},
		"the orchestrator, variable":      {working, author("conductor", true), nil},
		"the variable alone":              {working, author("Jo Doe", true), nil},
		"the orchestrator, no variable":   {working, author("conductor", false), []string{"V WP-4 SAW-COMMIT-MAIN"}},
		"blocked by the hook":             {working, blocked, nil},
		"another branch":                  {working, &events.GitCommit{Actor: infra, SHA: "x", Branch: "topic", Author: "Jo"}, nil},
		"no worktree any more":            {removedAll, agents, nil},
		"claimed by a publisher":          {working, with(any(agents), func(d *events.GitCommit) { d.Actor = orchestrator }), []string{"W EV-10 UNPROVEN-CLAIM", "V WP-4 SAW-COMMIT-MAIN", "interrupt s-A"}},
		"a merge commit before the allow": {working, &events.GitCommit{Actor: infra, SHA: "x", Branch: "main", Author: "conductor", Message: "Merge agent A"}, []string{"V WP-4 MERGE-WITHOUT-ALLOW"}},
	})
}

func TestCommitToMainNamesTheWorktree(t *testing.T) {
	p := play(t)
	p.all(join(begun(1), running(1, "AB"))...)
	p.feed(mainCommit("A"))
	v := p.last[0].Data.(*events.ViolationDetected)
	require.Equal(t, caughtByObserver, v.CaughtBy)
	require.Contains(t, v.What, ".claude/worktrees/wave1-agent-A")
	said := p.last[1].Data.(*events.InterruptFired)
	require.Contains(t, said.Message, ".claude/worktrees/wave1-agent-A")
	require.Contains(t, said.Headline, ".claude/worktrees/wave1-agent-A")
	require.NotEmpty(t, said.Reason)
}

func TestWorktreeNames(t *testing.T) { // WP-5 (E5)
	for name, c := range map[string]struct {
		path, branch string
		good         bool
	}{
		"good":              {".claude/worktrees/wave1-agent-A", "wave1-agent-A", true},
		"absolute":          {"/srv/shop/.claude/worktrees/wave1-agent-A", "wave1-agent-A", true},
		"a slash behind":    {".claude/worktrees/wave1-agent-A/", "refs/heads/wave1-agent-A", true},
		"another folder":    {"worktrees/wave1-agent-A", "wave1-agent-A", false},
		"a small letter":    {".claude/worktrees/wave1-agent-a", "wave1-agent-a", false},
		"two letters":       {".claude/worktrees/wave1-agent-AB", "wave1-agent-AB", false},
		"wave 0":            {".claude/worktrees/wave0-agent-A", "wave0-agent-A", false},
		"a zero in front":   {".claude/worktrees/wave01-agent-A", "wave01-agent-A", false},
		"another branch":    {".claude/worktrees/wave1-agent-A", "feature-a", false},
		"no branch":         {".claude/worktrees/wave1-agent-A", "", false},
		"below":             {".claude/worktrees/wave1-agent-A/src", "src", false},
		"another's name":    {".claude/worktrees/wave1-agent-B", "wave1-agent-B", false},
		"part of a folder":  {"my.claude/worktrees/wave1-agent-A", "wave1-agent-A", false},
		"windows":           {`C:\shop\.claude\worktrees\wave1-agent-A`, "wave1-agent-A", true},
		"something in it":   {".claude/worktrees/xwave1-agent-A", "xwave1-agent-A", false},
		"something before":  {"/x/.claude/worktrees/wave2-agent-A", "wave2-agent-A", false},
		"empty but for dot": {".", "wave1-agent-A", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t)
			p.all(begun(1)...)
			got := p.all(&events.WorktreeCreated{Actor: infra, Path: c.path, Branch: c.branch, Wave: 1, Letter: "A"})
			if c.good {
				require.Empty(t, got)
			} else {
				require.Equal(t, []string{"V WP-5 WORKTREE-NAME"}, got)
			}
		})
	}
}

func TestPlannedOwnership(t *testing.T) { // WP-6 (I1)
	for name, c := range map[string]struct {
		one, other string
		overlaps   bool
	}{
		"apart":             {"a/x.go", "a/y.go", false},
		"the same":          {"a/x.go", "a/x.go", true},
		"written otherwise": {"./a/x.go", "a//x.go", true},
		"a folder":          {"a/", "a/x.go", true},
		"a folder, bare":    {"a", "a/b/x.go", true},
		"all below":         {"a/**", "a/b/x.go", true},
		"a pattern":         {"a/*.go", "a/x.go", true},
		"a prefix":          {"a/x.go", "a/x.go.bak", false},
		"folders alike":     {"ab/", "a/x.go", false},
		"the plan":          {"docs/IMPL-shop.md", "docs/IMPL-shop.md", false},
		"case":              {"A/x.go", "a/x.go", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t)
			p.all(begun(1)...)
			require.Empty(t, p.all(&events.WavePlanned{Actor: scout, Wave: 1, Agents: []events.WaveAgent{{Letter: "A", Owns: []string{c.one}}, {Letter: "B", Owns: []string{c.other}}}}))
			want := []string{"gate launch WP-6 deny", "V WP-6 OWNERSHIP-OVERLAP"}
			if !c.overlaps {
				want = nil
			}
			require.Equal(t, want, p.all(launched(1)))
			if c.overlaps { // a better plan opens the gate
				require.Empty(t, p.all(planned(1, "AB"), with(launched(1), func(*events.WaveStarted) {})))
			}
		})
	}
}

func TestChangedFiles(t *testing.T) { // WP-6 at the merge
	files := func(letter string, changed, created []string) any {
		return with(completed(1, letter), func(d *events.AgentCompleted) { d.FilesChanged, d.FilesCreated = changed, created })
	}
	blob := func(letter, id string) any {
		return &events.GitCommit{Actor: infra, SHA: "b" + letter, Branch: branch(1, letter), Letter: letter, Files: []string{"gen.go"}, Blobs: map[string]string{"gen.go": id}}
	}
	base := join(begun(1), running(1, "AB"), []any{commit(1, "A"), commit(1, "B")})
	deny := []string{"gate merge WP-6 deny", "V WP-6 FILES-OVERLAP"}
	playScenes(t, map[string]scene{
		"apart":             {join(base, []any{completed(1, "A"), completed(1, "B")}), mergeRequested(1), nil},
		"both changed":      {join(base, []any{files("A", []string{"x.go"}, nil), files("B", []string{"x.go"}, nil)}), mergeRequested(1), append([]string{}, deny...)},
		"both created":      {join(base, []any{files("A", nil, []string{"x.go"}), files("B", nil, []string{"./x.go"})}), mergeRequested(1), append([]string{}, deny...)},
		"the plan document": {join(base, []any{files("A", []string{file(1, "A"), "docs/IMPL-shop.md"}, nil), files("B", []string{file(1, "B"), "docs/IMPL-shop.md"}, nil)}), mergeRequested(1), nil},
		"alike":             {join(base, []any{blob("A", "1"), blob("B", "1"), completed(1, "A"), completed(1, "B")}), mergeRequested(1), []string{"gate merge WP-6 allow_with_warning", "W WP-6 IDENTICAL-FILE"}},
		"not alike":         {join(base, []any{blob("A", "1"), blob("B", "2"), completed(1, "A"), completed(1, "B")}), mergeRequested(1), append([]string{}, deny...)},
		"outside its set":   {join(base, []any{files("A", []string{"other.go"}, nil), completed(1, "B")}), mergeRequested(1), []string{"gate merge WP-6 allow_with_warning", "W WP-6 FILES-OUTSIDE-OWNERSHIP"}},
		"another's file":    {join(begun(1), []any{planned(1, "AB"), hookIn(), worktree(1, "A"), worktree(1, "B"), launched(1), started(1, "A"), checked(1, "A", true), started(1, "B"), checked(1, "B", true), commit(1, "A"), with(commit(1, "B"), func(d *events.GitCommit) { d.Files = nil }), files("A", []string{file(1, "B")}, nil), files("B", nil, nil)}), mergeRequested(1), []string{"gate merge WP-6 deny", "V WP-6 FOREIGN-FILE"}},
	})
}

func TestWithoutWorktree(t *testing.T) { // WP-7
	base := join(begun(1), []any{planned(1, "AB"), hookIn()})
	at := func(letter, cwd, branch string) any {
		return with(started(1, letter), func(d *events.AgentStarted) { d.CWD, d.Branch = cwd, branch })
	}
	playScenes(t, map[string]scene{
		"in its worktree":         {join(base, []any{worktree(1, "A")}), started(1, "A"), nil},
		"none at all":             {base, started(1, "A"), []string{"V WP-7 AGENT-WITHOUT-WORKTREE"}},
		"another's only":          {join(base, []any{worktree(1, "B")}), started(1, "A"), []string{"V WP-7 AGENT-WITHOUT-WORKTREE"}},
		"removed before":          {join(base, []any{worktree(1, "A"), removed(1, "A")}), started(1, "A"), []string{"V WP-7 AGENT-WITHOUT-WORKTREE"}},
		"on main":                 {join(base, []any{worktree(1, "A")}), at("A", "/srv/shop", "main"), []string{"V WP-7 AGENT-OUTSIDE-WORKTREE"}},
		"in the main folder":      {join(base, []any{worktree(1, "A")}), at("A", "/srv/shop", ""), []string{"V WP-7 AGENT-OUTSIDE-WORKTREE"}},
		"in a folder of it":       {join(base, []any{worktree(1, "A")}), at("A", "/srv/shop/.claude/worktrees/wave1-agent-A/cmd", ""), nil},
		"it does not say where":   {join(base, []any{worktree(1, "A")}), at("A", "", ""), nil},
		"a wave that grows":       {join(begun(1), []any{hookIn(), started(1, "A")}), started(1, "B"), []string{"V WP-7 AGENT-WITHOUT-WORKTREE", "V WP-7 AGENT-WITHOUT-WORKTREE"}},
		"solo":                    {join(begun(1), []any{planned(1, "A"), hookIn()}), at("A", "/srv/shop", "main"), nil},
		"claimed, no infra":       {join(begun(1), []any{planned(1, "AB"), with(worktree(1, "A"), func(d *events.WorktreeCreated) { d.Actor = orchestrator })}), started(1, "A"), []string{"W WP-18 HOOK-MISSING"}},
		"claimed against a fact":  {join(base, []any{worktree(1, "B"), with(worktree(1, "A"), func(d *events.WorktreeCreated) { d.Actor = orchestrator })}), started(1, "A"), []string{"V WP-7 AGENT-WITHOUT-WORKTREE"}},
		"no letter, no wave":      {base, &events.AgentStarted{Actor: orchestrator, AgentID: "x"}, nil},
		"its own branch is proof": {join(base, []any{worktree(1, "A")}), at("A", "/mnt/elsewhere", "wave1-agent-A"), nil},
	})
}

func TestReviewGate(t *testing.T) { // WP-8
	early := &events.ScaffoldCommitted{Actor: scaffolder, Files: []string{"t.go"}, SHA: "a"}
	byGit := &events.GitCommit{Actor: infra, SHA: "a", Branch: "main", Author: "scaffold-1", Files: []string{"t.go"}}
	cosmetic := []string{"V WP-8 REVIEW-GATE-COSMETIC"}
	playScenes(t, map[string]scene{
		"committed before":          {[]any{runStarted(), scouted(1, "t.go")}, early, cosmetic},
		"committed by git before":   {[]any{runStarted(), scouted(1, "t.go")}, byGit, cosmetic},
		"the scout made it":         {[]any{runStarted(), byGit}, scouted(1, "t.go"), cosmetic},
		"the plan says so":          {[]any{runStarted()}, &events.ScoutCompleted{Actor: scout, Verdict: "SUITABLE", Scaffolds: []events.Scaffold{{File: "t.go", Status: "committed (a1b2c3)"}}}, cosmetic},
		"an orchestrator approved":  {[]any{runStarted(), scouted(1, "t.go"), &events.PlanApproved{Actor: orchestrator}}, early, cosmetic},
		"committed after":           {[]any{runStarted(), scouted(1, "t.go"), approved(), &events.ScaffoldStarted{Actor: scaffolder}}, early, nil},
		"another file":              {[]any{runStarted(), scouted(1, "t.go")}, &events.GitCommit{Actor: infra, SHA: "a", Branch: "main", Author: "Jo", Files: []string{"docs/IMPL.md"}}, nil},
		"told of once":              {[]any{runStarted(), scouted(1, "t.go"), byGit}, early, nil},
		"launch after one approval": {[]any{runStarted(), scouted(1, "t.go"), early, approved(), planned(1, "AB")}, launched(1), []string{"gate launch WP-8 deny"}},
		"launch after a second one": {[]any{runStarted(), scouted(1, "t.go"), early, approved(), approved(), planned(1, "AB")}, launched(1), nil},
	})
}

func TestOrder(t *testing.T) { // WP-9
	listed := []any{runStarted(), scouted(1, "t.go"), approved()}
	playScenes(t, map[string]scene{
		"worktree, scaffold pending":       {listed, worktree(1, "A"), []string{"gate worktrees WP-9 deny", "V WP-9 WORKTREE-BEFORE-SCAFFOLD"}},
		"worktree, scaffold started":       {join(listed, []any{&events.ScaffoldStarted{Actor: scaffolder}}), worktree(1, "A"), []string{"gate worktrees WP-9 deny", "V WP-9 WORKTREE-BEFORE-SCAFFOLD"}},
		"one of two committed":             {[]any{runStarted(), scouted(1, "t.go", "u.go"), approved(), &events.ScaffoldCommitted{Actor: scaffolder, SHA: "a", Files: []string{"t.go"}}}, worktree(1, "A"), []string{"gate worktrees WP-9 deny", "V WP-9 WORKTREE-BEFORE-SCAFFOLD"}},
		"worktree, scaffold committed":     {join(listed, []any{&events.ScaffoldCommitted{Actor: scaffolder, SHA: "a"}}), worktree(1, "A"), nil},
		"no scaffolds":                     {begun(1), worktree(1, "A"), nil},
		"not approved":                     {[]any{runStarted(), scouted(1)}, worktree(1, "A"), []string{"gate worktrees WP-9 deny"}},
		"not approved, and again":          {[]any{runStarted(), scouted(1), worktree(1, "A")}, worktree(1, "B"), []string{"gate worktrees WP-9 deny", "V WP-9 ACTED-WITHOUT-ALLOW"}},
		"scaffold before the approval":     {[]any{runStarted(), scouted(1, "t.go")}, &events.ScaffoldStarted{Actor: scaffolder}, []string{"V WP-9 ILLEGAL-TRANSITION"}},
		"launch, scaffold pending":         {join(listed, []any{planned(1, "AB")}), launched(1), []string{"gate launch WP-9 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"an orchestrator's approval":       {[]any{runStarted(), scouted(1)}, &events.PlanApproved{Actor: orchestrator}, []string{"W EV-10 UNPROVEN-CLAIM"}},
		"launch on that":                   {[]any{runStarted(), scouted(1), &events.PlanApproved{Actor: orchestrator}}, launched(1), []string{"gate launch WP-9 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"agents in spite of the denial":    {[]any{runStarted(), scouted(1), planned(1, "A"), launched(1)}, started(1, "A"), []string{"gate launch WP-9 deny", "V WP-16 ILLEGAL-TRANSITION", "V WP-9 ACTED-WITHOUT-ALLOW"}},
		"the scaffold without a scaffold":  {begun(1), &events.ScaffoldStarted{Actor: scaffolder}, []string{"V WP-16 ILLEGAL-TRANSITION"}},
		"solo with a pending scaffold":     {[]any{runStarted(), scouted(1, "t.go"), planned(1, "A"), approved()}, launched(1), nil},
		"solo with a pending scaffold (W)": {[]any{runStarted(), scouted(1, "t.go"), planned(1, "A")}, approved(), []string{"W WP-13 SCAFFOLDS-FOR-SOLO"}},
		"solo, then two: scaffold first":   {[]any{runStarted(), scouted(2, "t.go"), planned(1, "A"), planned(2, "AB"), approved()}, launched(1), []string{"gate launch WP-9 deny", "V WP-16 ILLEGAL-TRANSITION"}},
	})
}

func TestScaffoldFailure(t *testing.T) { // WP-10
	no := false
	listed := []any{runStarted(), scouted(1, "t.go"), approved(), &events.ScaffoldStarted{Actor: scaffolder}}
	want := []string{"gate worktrees WP-10 deny", "escalate wave/scaffold_failed"}
	failed := &events.ScaffoldFailed{Actor: scaffolder, Files: []string{"t.go"}, Reason: "undefined: Policy"}
	playScenes(t, map[string]scene{
		"failed":              {listed, failed, want},
		"does not compile":    {listed, &events.ScaffoldCommitted{Actor: scaffolder, SHA: "a", CompileOK: &no}, want},
		"no sha":              {listed, &events.ScaffoldCommitted{Actor: scaffolder}, want},
		"worktree after it":   {join(listed, []any{failed}), worktree(1, "A"), []string{"gate worktrees WP-10 deny", "V WP-9 WORKTREE-BEFORE-SCAFFOLD"}},
		"again, not revised":  {join(listed, []any{failed}), &events.ScaffoldStarted{Actor: scaffolder}, []string{"V WP-16 ILLEGAL-TRANSITION"}},
		"again, approved":     {join(listed, []any{failed, approved(), &events.ScaffoldStarted{Actor: scaffolder}}), &events.ScaffoldCommitted{Actor: scaffolder, SHA: "a"}, nil},
		"not said to compile": {listed, &events.ScaffoldCommitted{Actor: scaffolder, SHA: "a"}, nil},
	})
}

func TestContracts(t *testing.T) { // WP-11
	change := &events.ContractChanged{Actor: orchestrator, Files: []string{"t.go"}}
	frozen := join(begun(1), running(1, "AB"), []any{change}, working(1, "AB", ""))
	blocked := join(begun(1), running(1, "AB"), []any{with(completed(1, "A"), func(d *events.AgentCompleted) { d.Status, d.Commit = "blocked", "" })})
	playScenes(t, map[string]scene{
		"in the review":           {[]any{runStarted(), scouted(1)}, change, nil},
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
		return &events.GitCommit{Actor: infra, SHA: "o", Branch: "main", Author: author, AllowMain: author == "conductor", Purpose: purpose, Files: files}
	}
	running := join(begun(1), running(1, "AB"))
	solo := join(begun(1), []any{planned(1, "A"), launched(1)})
	scaffolds := []any{runStarted(), scouted(1, "t.go"), approved()}
	playScenes(t, map[string]scene{
		"the orchestrator, source":             {running, by("conductor", "", "a.go"), []string{"V WP-12 ORCHESTRATOR-COMMITS-SOURCE"}},
		"the orchestrator, another aim":        {running, by("conductor", "feature", "a.go"), []string{"V WP-12 ORCHESTRATOR-COMMITS-SOURCE"}},
		"the orchestrator, lint":               {running, by("conductor", "lint_fix", "a.go"), nil},
		"the orchestrator, after a merge":      {running, by("conductor", "post_merge", "a.go"), nil},
		"the orchestrator, no source":          {running, by("conductor", "", "README.md"), nil},
		"the orchestrator, solo":               {solo, by("conductor", "", "a.go"), []string{"V WP-12 ORCHESTRATOR-COMMITS-SOURCE"}},
		"the orchestrator, the plan":           {running, by("conductor", "", "docs/IMPL-shop.md"), []string{"V WP-12 ORCHESTRATOR-WRITES-PLAN"}},
		"the orchestrator, a scaffold":         {scaffolds, by("conductor", "", "t.go"), []string{"V WP-12 ORCHESTRATOR-WRITES-SCAFFOLD"}},
		"it tells of the scaffold":             {scaffolds, &events.ScaffoldCommitted{Actor: orchestrator, SHA: "a"}, []string{"V WP-12 ORCHESTRATOR-WRITES-SCAFFOLD"}},
		"the orchestrator as an agent":         {join(begun(1), []any{planned(1, "A"), launched(1)}), &events.AgentStarted{Actor: orchestrator, AgentID: "conductor", Wave: 1, Letter: "A"}, []string{"V WP-12 ORCHESTRATOR-AS-AGENT"}},
		"the orchestrator on a branch":         {running, &events.GitCommit{Actor: infra, SHA: "o", Branch: "wave1-agent-A", Author: "conductor", Files: []string{"a.go"}}, []string{"V WP-12 ORCHESTRATOR-AS-AGENT"}},
		"the orchestrator as an agent on main": {solo, &events.GitCommit{Actor: infra, SHA: "o", Branch: "main", Author: "orchestrator", Letter: "A", Files: []string{"a.go"}}, []string{"V WP-12 ORCHESTRATOR-AS-AGENT"}},
		"the scout, source":                    {[]any{runStarted()}, by("scout-1", "", "a.go"), []string{"V WP-12 SCOUT-COMMITS-SOURCE"}},
		"the scout, its plan":                  {[]any{runStarted()}, by("scout-1", "", "docs/IMPL-shop.md"), nil},
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
		"verified scoped only":    {join(mergedOne, []any{&events.TestCompleted{Actor: orchestrator, Scope: "scoped", Passed: true}}), launched(2), late},
		"verification failed":     {join(mergedOne, []any{tested(false)}), launched(2), late},
		"verified again":          {join(mergedOne, []any{tested(false), tested(true)}), launched(2), nil},
		"verified":                {join(mergedOne, []any{tested(true)}), launched(2), nil},
		"by its first agent":      {mergedOne, with(started(2, "A"), func(d *events.AgentStarted) { d.CWD, d.Branch = "", "" }), late},
		"its worktree":            {mergedOne, worktree(2, "A"), []string{"gate worktrees WP-14 deny", "V WP-14 WAVE-OUT-OF-SEQUENCE"}},
		"a wave is left out":      {join(mergedOne, []any{tested(true)}), launched(3), late},
		"scaffolding later":       {join(mergedOne, []any{tested(true)}), &events.ScaffoldStarted{Actor: scaffolder, Wave: 2}, []string{"V WP-14 SCAFFOLD-AFTER-FIRST-WAVE"}},
		"scaffolding, wave 2":     {begun(2), &events.ScaffoldStarted{Actor: scaffolder, Wave: 2}, []string{"V WP-14 SCAFFOLD-AFTER-FIRST-WAVE"}},
		"scaffolding, wave 1":     {[]any{runStarted(), scouted(2, "t.go"), approved()}, &events.ScaffoldStarted{Actor: scaffolder, Wave: 1}, nil},
		"planning ahead is legal": {one, planned(2, "AB"), nil},
	})
}

func TestReports(t *testing.T) { // WP-15
	base := join(begun(1), running(1, "AB"), []any{commit(1, "A"), commit(1, "B")})
	report := func(change func(*events.AgentCompleted)) any { return with(completed(1, "A"), change) }
	status := func(s string) any { return report(func(d *events.AgentCompleted) { d.Status = s }) }
	playScenes(t, map[string]scene{
		"complete":                {base, completed(1, "A"), nil},
		"partial":                 {base, status("partial"), []string{"W WP-15 AGENT-BLOCKED"}},
		"blocked":                 {base, status("blocked"), []string{"W WP-15 AGENT-BLOCKED"}},
		"failed":                  {base, report(func(d *events.AgentCompleted) { d.Outcome, d.Status, d.Commit = "failure", "", "" }), []string{"W WP-15 AGENT-BLOCKED"}},
		"no commit":               {base, report(func(d *events.AgentCompleted) { d.Commit = "" }), []string{"V WP-15 REPORT-WITHOUT-COMMIT"}},
		"uncommitted":             {base, report(func(d *events.AgentCompleted) { d.Commit = "uncommitted" }), []string{"V WP-15 REPORT-WITHOUT-COMMIT"}},
		"blocked and uncommitted": {base, report(func(d *events.AgentCompleted) { d.Status, d.Commit = "blocked", "Uncommitted" }), []string{"V WP-15 REPORT-WITHOUT-COMMIT", "W WP-15 AGENT-BLOCKED"}},
		"report in the chat":      {base, report(func(d *events.AgentCompleted) { d.Output = "### Agent A - Completion Report\nstatus: complete" }), []string{"V WP-15 REPORT-ONLY-IN-CHAT"}},
		"report in both": {base, report(func(d *events.AgentCompleted) {
			d.Output, d.FilesChanged = "Completion report", []string{"pkg/w1a.go", "docs/IMPL-shop.md"}
		}), nil},
		"just an answer":           {base, report(func(d *events.AgentCompleted) { d.Output = "All done." }), nil},
		"merge, one partial":       {join(base, []any{status("partial"), completed(1, "B")}), mergeRequested(1), []string{"gate merge WP-15 deny"}},
		"merge, one still at work": {join(base, []any{completed(1, "A")}), mergeRequested(1), []string{"gate merge WP-15 deny"}},
		"merge, done after all":    {join(base, []any{status("partial"), completed(1, "B"), completed(1, "A")}), mergeRequested(1), nil},
		"merge, partial descoped":  {join(base, []any{status("partial"), completed(1, "B"), &events.AgentDescoped{Actor: human, Wave: 1, Letter: "A"}}), mergeRequested(1), nil},
		"not suitable, a wave":     {[]any{runStarted(), &events.ScoutCompleted{Actor: scout, Verdict: "NOT SUITABLE"}}, launched(1), []string{"gate launch WP-15 deny", "V WP-15 NOT-SUITABLE-IGNORED"}},
		"not suitable, the end":    {[]any{runStarted(), &events.ScoutCompleted{Actor: scout, Verdict: "NOT SUITABLE"}}, finished(), nil},
		"with caveats":             {[]any{runStarted(), &events.ScoutCompleted{Actor: scout, Verdict: "SUITABLE WITH CAVEATS"}, approved()}, launched(1), nil},
		"by its id":                {base, &events.AgentCompleted{Actor: orchestrator, AgentID: "id-wave1-agent-A", Outcome: "success", Commit: "uncommitted"}, []string{"V WP-15 REPORT-WITHOUT-COMMIT"}},
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
		"the same agent again": {join(base, a, []any{with(completed(1, "A"), func(d *events.AgentCompleted) { d.Status = "partial" })}), started(1, "A"), nil},
	})
}

func TestVerification(t *testing.T) { // WP-15 (E10, E13)
	ready := join(begun(1), running(1, "AB"), working(1, "AB", ""), []any{mergeRequested(1), merged(1)})
	run := func(actor events.Actor, scope, suite string) any {
		return &events.TestCompleted{Actor: actor, Scope: scope, Passed: true, Suite: suite}
	}
	existing := join(begun(1), running(1, "AB"), []any{run(waveAgent, "scoped", "unit")}, working(1, "AB", ""), []any{mergeRequested(1), merged(1)})
	listed := join(begun(1), running(1, "AB"), []any{with(commit(1, "A"), func(d *events.GitCommit) { d.Files = []string{"pkg/w1a_test.go"} })}, working(1, "AB", "A"), []any{mergeRequested(1), merged(1)})
	playScenes(t, map[string]scene{
		"compiled only, tests ran before":   {existing, run(orchestrator, "unscoped", "go build ./..."), []string{"W WP-15 COMPILE-ONLY"}},
		"compiled only, test files exist":   {listed, run(orchestrator, "unscoped", "compile"), []string{"W WP-15 COMPILE-ONLY"}},
		"compiled only, no tests are known": {ready, run(orchestrator, "unscoped", "build"), nil},
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
		"approved before the scout":     {[]any{runStarted()}, approved(), illegal},
		"launched before the scout":     {[]any{runStarted()}, launched(1), []string{"gate launch WP-9 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"launched before the approval":  {[]any{runStarted(), scouted(1)}, launched(1), []string{"gate launch WP-9 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"launched twice":                {join(begun(1), []any{launched(1)}), launched(1), []string{"gate launch WP-16 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"a merge of nothing that runs":  {join(begun(1), []any{planned(1, "AB"), worktree(1, "A"), worktree(1, "B"), commit(1, "A"), commit(1, "B")}), mergeRequested(1), []string{"gate merge WP-16 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"a merge asked for twice":       {join(begun(1), running(1, "AB"), working(1, "AB", ""), []any{mergeRequested(1)}), mergeRequested(1), []string{"gate merge WP-16 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"a recovery nobody asked for":   {begun(1), &events.RecoverySelected{Actor: orchestrator, Wave: 1, Option: 2}, []string{"W EV-10 UNPROVEN-CLAIM", "V WP-2 SAW-AUTONOMOUS-RECOVERY"}},
		"complete before it is":         {join(begun(1), running(1, "AB")), finished(), []string{"W WP-18 HOOK-NOT-REMOVED", "V WP-16 ILLEGAL-TRANSITION"}},
		"given up":                      {join(begun(1), []any{launched(1)}), &events.RunCompleted{Actor: orchestrator, Outcome: "cancelled"}, nil},
		"the scout again":               {join(begun(1), []any{launched(1)}), scouted(1), illegal},
		"the scout in the review":       {[]any{runStarted(), scouted(1)}, scouted(2), nil},
		"after the end":                 {done, launched(2), []string{"gate launch WP-16 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"a verified wave again":         {verified, launched(1), []string{"gate launch WP-16 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"approved once more":            {begun(1), approved(), nil},
		"the scout after not suitable":  {[]any{runStarted(), &events.ScoutCompleted{Actor: scout, Verdict: "NOT SUITABLE"}}, scouted(1), illegal},
		"joined under way":              {[]any{planned(3, "AB")}, launched(3), []string{"gate launch WP-9 deny"}},
		"joined under way and approved": {[]any{planned(3, "AB"), approved()}, launched(3), nil},
	})
}

func TestHook(t *testing.T) { // WP-18
	base := join(begun(1), []any{planned(1, "AB"), worktree(1, "A"), worktree(1, "B"), launched(1)})
	running := join(begun(1), running(1, "AB"))
	mergedNow := join(running, working(1, "AB", ""), []any{mergeRequested(1), merged(1)})
	unrestored := &events.HookRemoved{Actor: infra, Backup: true}
	playScenes(t, map[string]scene{
		"installed":             {join(base, []any{hookIn()}), started(1, "A"), nil},
		"missing":               {base, started(1, "A"), []string{"W WP-18 HOOK-MISSING"}},
		"missing, told once":    {join(base, []any{started(1, "A")}), started(1, "B"), nil},
		"only claimed":          {join(base, []any{&events.HookInstalled{Actor: orchestrator}}), started(1, "A"), []string{"W WP-18 HOOK-MISSING"}},
		"removed early":         {running, hookOut(), []string{"W WP-18 HOOK-REMOVED-EARLY"}},
		"removed":               {mergedNow, hookOut(), nil},
		"not put back":          {mergedNow, unrestored, []string{"W WP-18 HOOK-NOT-RESTORED"}},
		"nothing to put back":   {join(base, []any{&events.HookInstalled{Actor: infra}, started(1, "A"), started(1, "B")}, working(1, "AB", ""), []any{mergeRequested(1), merged(1)}), &events.HookRemoved{Actor: infra}, nil},
		"left at the end":       {join(mergedNow, []any{tested(true)}), finished(), []string{"W WP-18 HOOK-NOT-REMOVED"}},
		"left for the next":     {join(mergedNow, []any{tested(true), planned(2, "AB")}), launched(2), []string{"W WP-18 HOOK-NOT-REMOVED"}},
		"installed over itself": {join(mergedNow, []any{tested(true)}), hookIn(), []string{"W WP-18 HOOK-NOT-REMOVED"}},
	})
}

func TestField0(t *testing.T) { // WP-18
	base := join(begun(1), []any{planned(1, "AB"), hookIn(), worktree(1, "A"), worktree(1, "B"), launched(1), started(1, "A"), started(1, "B")})
	edits := &events.TurnEvaluated{Session: "s-A", Turn: 1, Observed: &events.Observations{FilesEdited: []string{"a.go"}}}
	looks := &events.TurnEvaluated{Session: "s-A", Turn: 1, Observed: &events.Observations{FilesRead: 3}}
	playScenes(t, map[string]scene{
		"checked":              {join(base, []any{checked(1, "A", true)}), commit(1, "A"), nil},
		"missing at a commit":  {base, commit(1, "A"), []string{"W WP-18 FIELD0-MISSING"}},
		"missing at the end":   {base, completed(1, "A"), []string{"W WP-18 FIELD0-MISSING"}},
		"missing, told once":   {join(base, []any{commit(1, "A")}), completed(1, "A"), nil},
		"failed, then a turn":  {join(base, []any{checked(1, "A", false)}), edits, []string{"V WP-18 FIELD0-FAILED-EDITS"}},
		"failed, then reading": {join(base, []any{checked(1, "A", false)}), looks, nil},
		"failed, then commit":  {join(base, []any{checked(1, "A", false)}), commit(1, "A"), []string{"V WP-18 FIELD0-FAILED-EDITS"}},
		"failed, then report":  {join(base, []any{checked(1, "A", false)}), completed(1, "A"), []string{"V WP-18 FIELD0-FAILED-EDITS"}},
		"failed, then exit":    {join(base, []any{checked(1, "A", false)}), with(completed(1, "A"), func(d *events.AgentCompleted) { d.Outcome, d.Status, d.Commit, d.FilesChanged = "failure", "", "", nil }), []string{"W WP-15 AGENT-BLOCKED"}},
		"failed, then passed":  {join(base, []any{checked(1, "A", false), checked(1, "A", true)}), commit(1, "A"), nil},
		"solo on main":         {join(begun(1), []any{planned(1, "A"), launched(1), started(1, "A")}), completed(1, "A"), nil},
	})
}

func TestIsolationReport(t *testing.T) { // WP-17
	p := play(t)
	p.all(join(begun(1), running(1, "AB"))...)
	blocked := mainCommit("A")
	blocked.Blocked = true
	p.all(blocked, mainCommit("B"), commit(1, "A"), completed(1, "A"), completed(1, "B"), mergeRequested(1))
	report := Isolation(&p.s)
	require.Len(t, report.Layers, 5)
	require.Equal(t, "Pre-commit hook", report.Layers[0].Name)
	require.Len(t, report.Incidents, 2)
	require.Equal(t, []string{"0"}, report.Incidents[0].CaughtBy)
	require.False(t, report.Incidents[0].Observer)
	require.Equal(t, []string{"4"}, report.Incidents[1].CaughtBy, "the observer is no layer")
	require.True(t, report.Incidents[1].Observer)
	require.Equal(t, []Standing{Failed, Failed, Failed, Failed, Caught}, report.Incidents[1].Layers)
	require.Equal(t, 1, report.Observer)
	require.Equal(t, LayerReport{Layer: 4, Name: "Merge-time trip wire", Caught: 1}, report.Layers[4])
}

func TestConformance(t *testing.T) { // WP-19
	p := play(t)
	p.all(join(begun(2), running(1, "AB"), []any{mainCommit("A")}, working(1, "AB", "B"), []any{mergeRequested(1), launched(2)})...)
	found := map[string]Conformity{}
	for _, c := range Conformance(&p.s) {
		found[c.ID] = c.Conformity
		require.NotEmpty(t, c.Title)
	}
	require.Len(t, found, 20)
	require.Equal(t, Broken, found["E4"])
	require.Equal(t, Broken, found["I3"])
	require.Equal(t, Broken, found["I6"])
	require.Equal(t, Held, found["I1"])
	require.Equal(t, NotSeen, found["E6"])
	var broken []string
	for _, r := range Rules(&p.s) {
		broken = append(broken, r.ID)
	}
	require.Equal(t, []string{"WP-2", "WP-4", "WP-14"}, broken)
}

// Every code has a rule, an I or E number and a sentence (WP-19).
func TestCodes(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Codes() {
		require.False(t, seen[c.Code], c.Code)
		seen[c.Code] = true
		require.Regexp(t, `^[A-Z0-9]+(-[A-Z0-9]+)+$`, c.Code)
		require.Regexp(t, `^(WP|EV)-\d+$`, c.Rule)
		require.NotEmpty(t, c.Invariants, c.Code)
		require.NotEmpty(t, c.What, c.Code)
	}
}
