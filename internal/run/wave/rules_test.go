package wave

import (
	"testing"

	"github.com/stretchr/testify/require"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
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
	nothing := with(merged(1), func(d *runevents.WaveMerged) { d.Output = "Already up to date." })
	playScenes(t, map[string]scene{
		"allowed":                           {asked, merged(1), nil},
		"never asked":                       {ready, merged(1), []string{"V WP-3 MERGED-WITHOUT-GATE", "break merged_without_gate"}},
		"merged nothing":                    {asked, nothing, []string{"V WP-3 MERGED-NOTHING", "break merged_without_gate"}},
		"git merged nothing":                {asked, with(gitMerge(1, "A"), func(d *runevents.GitMerge) { d.Output = "Already up-to-date." }), []string{"V WP-3 MERGED-NOTHING", "break merged_without_gate"}},
		"one merged nothing, then another":  {join(asked, []any{with(gitMerge(1, "A"), func(d *runevents.GitMerge) { d.Output = "Already up to date." })}), gitMerge(1, "B"), []string{"V WP-4 MERGE-WITHOUT-ALLOW", "break merged_without_gate"}},
		"one merged nothing, then the wave": {join(asked, []any{with(gitMerge(1, "A"), func(d *runevents.GitMerge) { d.Output = "Already up to date." })}), nothing, nil},
		"asked twice, merged once":          {join(asked, []any{mergeRequested(1), gitMerge(1, "A"), gitMerge(1, "B")}), merged(1), nil},
		"git merged, never asked":           {ready, gitMerge(1, "A"), []string{"V WP-4 MERGE-WITHOUT-ALLOW", "break merged_without_gate"}},
		"main into a branch":                {ready, &runevents.GitMerge{Actor: infra, Branch: "main", Into: "wave1-agent-A"}, nil},
		"another branch":                    {ready, &runevents.GitMerge{Actor: infra, Branch: "dependabot", Into: "main"}, nil},
		"twice":                             {join(asked, []any{merged(1)}), merged(1), []string{"V WP-16 ILLEGAL-TRANSITION"}},
		"asked ahead only":                  {join(ready, []any{&runevents.GateRequested{Actor: orchestrator, Gate: "merge", Wave: 1}}), merged(1), []string{"V WP-3 MERGED-WITHOUT-GATE", "break merged_without_gate"}},
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
		return &runevents.GitCommit{Actor: infra, SHA: "m", Branch: "main", Author: name, AllowMain: allow, Purpose: "lint_fix", Files: []string{"a.go"}}
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
		"another branch":                  {working, &runevents.GitCommit{Actor: infra, SHA: "x", Branch: "topic", Author: "Jo"}, nil},
		"no worktree any more":            {removedAll, agents, nil},
		"claimed by a publisher":          {working, with(any(agents), func(d *runevents.GitCommit) { d.Actor = orchestrator }), []string{"W EV-10 UNPROVEN-CLAIM", "V WP-4 SAW-COMMIT-MAIN", "interrupt s-A"}},
		"a merge commit before the allow": {working, &runevents.GitCommit{Actor: infra, SHA: "x", Branch: "main", Author: "conductor", Message: "Merge agent A"}, []string{"V WP-4 MERGE-WITHOUT-ALLOW"}},
	})
}

func TestCommitToMainNamesTheWorktree(t *testing.T) {
	p := play(t)
	p.all(join(begun(1), running(1, "AB"))...)
	p.feed(mainCommit("A"))
	v := p.last[0].Data.(*runevents.ViolationDetected)
	require.Equal(t, runevents.CaughtByObserver, v.CaughtBy)
	require.Contains(t, v.What, ".claude/worktrees/wave1-agent-A")
	said := p.last[1].Data.(*sessionevents.InterruptFired)
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
		"no branch told":    {".claude/worktrees/wave1-agent-A", "", true},
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
			got := p.all(&runevents.WorktreeCreated{Actor: infra, Path: c.path, Branch: c.branch, Wave: 1, Letter: "A"})
			if c.good {
				require.Empty(t, got)
			} else {
				require.Equal(t, []string{"V WP-5 WORKTREE-NAME"}, got)
			}
		})
	}
}

// PL-6: a run of another kind has worktrees that the protocol does not name.
func TestWorktreeOfNoWave(t *testing.T) {
	own := &runevents.WorktreeCreated{Actor: infra, Path: "/srv/shop/.worktrees/cart", Branch: "cart"}
	named := []string{"V WP-5 WORKTREE-NAME", "gate worktrees WP-16 deny"}
	kind := func(kind string) any { return &runevents.RunStarted{Actor: orchestrator, Kind: kind} }
	playScenes(t, map[string]scene{
		"pipeline":                     {[]any{kind("pipeline")}, own, nil},
		"build, with a hook":           {[]any{hookIn(), kind("build")}, own, nil},
		"the kind is not known":        {nil, own, nil},
		"not known, with a hook":       {[]any{hookIn()}, own, nil},
		"pipeline, waves all the same": {[]any{kind("pipeline"), planned(1, "AB")}, own, nil},
		"Scout-and-Wave":               {[]any{kind("saw")}, own, named},
		"waves are known":              {[]any{planned(1, "AB")}, own, named},
		"of a wave":                    {nil, with(own, func(d *runevents.WorktreeCreated) { d.Wave, d.Letter = 1, "A" }), []string{"V WP-5 WORKTREE-NAME", "gate worktrees WP-9 deny"}},
		"in the protocol's folder":     {nil, with(own, func(d *runevents.WorktreeCreated) { d.Path = ".claude/worktrees/cart" }), named},
	})
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
			require.Empty(t, p.all(&runevents.WavePlanned{Actor: scout, Wave: 1, Agents: []runevents.WaveAgent{{Letter: "A", Owns: []string{c.one}}, {Letter: "B", Owns: []string{c.other}}}}))
			want := []string{"gate launch WP-6 deny", "V WP-6 OWNERSHIP-OVERLAP"}
			if !c.overlaps {
				want = nil
			}
			require.Equal(t, want, p.all(launched(1)))
			if c.overlaps { // a better plan opens the gate
				require.Empty(t, p.all(planned(1, "AB"), with(launched(1), func(*runevents.WaveStarted) {})))
			}
		})
	}
}

func TestChangedFiles(t *testing.T) { // WP-6 at the merge
	files := func(letter string, changed, created []string) any {
		return with(completed(1, letter), func(d *runevents.AgentCompleted) { d.FilesChanged, d.FilesCreated = changed, created })
	}
	blob := func(letter, id string) any {
		return &runevents.GitCommit{Actor: infra, SHA: "b" + letter, Branch: branch(1, letter), Letter: letter, Files: []string{"gen.go"}, Blobs: map[string]string{"gen.go": id}}
	}
	base := join(begun(1), running(1, "AB"), []any{commit(1, "A"), commit(1, "B")})
	deny := []string{"gate merge WP-6 deny", "V WP-6 FILES-OVERLAP"}
	playScenes(t, map[string]scene{
		"apart":             {join(base, []any{completed(1, "A"), completed(1, "B")}), mergeRequested(1), nil},
		"both changed":      {join(base, []any{files("A", []string{"x.go"}, nil), files("B", []string{"x.go"}, nil)}), mergeRequested(1), append([]string{}, deny...)},
		"both created":      {join(base, []any{files("A", nil, []string{"x.go"}), files("B", nil, []string{"./x.go"})}), mergeRequested(1), append([]string{}, deny...)},
		"the plan document": {join(base, []any{files("A", []string{file(1, "A"), "docs/IMPL-shop.md"}, nil), files("B", []string{file(1, "B"), "docs/IMPL-shop.md"}, nil)}), mergeRequested(1), nil},
		"taken out again": {join(base, []any{
			with(commit(1, "A"), func(d *runevents.GitCommit) { d.SHA, d.Files = "more", []string{"x.go"} }), with(commit(1, "B"), func(d *runevents.GitCommit) { d.SHA, d.Files = "more", []string{"x.go"} }),
			completed(1, "A"), completed(1, "B"), mergeRequested(1),
			&runevents.GitCounted{Actor: infra, Branches: []runevents.BranchCount{{Branch: branch(1, "B"), Letter: "B", Wave: 1, Commits: 3, Files: []string{file(1, "B")}}}},
		}), with(mergeRequested(1), func(d *runevents.WaveMergeRequested) { d.Agents = nil }), []string{"gate merge WP-6 allow_with_warning", "W WP-6 FILES-OUTSIDE-OWNERSHIP"}},
		"counted, still reported": {join(base, []any{
			files("A", []string{"x.go"}, nil), files("B", []string{"x.go"}, nil),
			&runevents.GitCounted{Actor: infra, Branches: []runevents.BranchCount{{Branch: branch(1, "B"), Letter: "B", Wave: 1, Commits: 1, Files: []string{file(1, "B")}}}},
		}), mergeRequested(1), append([]string{}, deny...)},
		"reported anew":           {join(base, []any{files("A", []string{"x.go"}, nil), files("B", []string{"x.go"}, nil), completed(1, "B")}), mergeRequested(1), []string{"gate merge WP-6 allow_with_warning", "W WP-6 FILES-OUTSIDE-OWNERSHIP"}},
		"alike":                   {join(base, []any{blob("A", "1"), blob("B", "1"), completed(1, "A"), completed(1, "B")}), mergeRequested(1), []string{"gate merge WP-6 allow_with_warning", "W WP-6 IDENTICAL-FILE"}},
		"not alike":               {join(base, []any{blob("A", "1"), blob("B", "2"), completed(1, "A"), completed(1, "B")}), mergeRequested(1), append([]string{}, deny...)},
		"alike, then one changed": {join(base, []any{blob("A", "1"), blob("B", "1"), with(blob("A", ""), func(d *runevents.GitCommit) { d.SHA, d.Blobs = "later", nil }), completed(1, "A"), completed(1, "B")}), mergeRequested(1), append([]string{}, deny...)},
		"outside its set":         {join(base, []any{files("A", []string{"other.go"}, nil), completed(1, "B")}), mergeRequested(1), []string{"gate merge WP-6 allow_with_warning", "W WP-6 FILES-OUTSIDE-OWNERSHIP"}},
		"another's file":          {join(begun(1), []any{planned(1, "AB"), hookIn(), worktree(1, "A"), worktree(1, "B"), launched(1), started(1, "A"), checked(1, "A", true), started(1, "B"), checked(1, "B", true), commit(1, "A"), with(commit(1, "B"), func(d *runevents.GitCommit) { d.Files = nil }), files("A", []string{file(1, "B")}, nil), files("B", nil, nil)}), mergeRequested(1), []string{"gate merge WP-6 deny", "V WP-6 FOREIGN-FILE"}},
	})
}

func TestWithoutWorktree(t *testing.T) { // WP-7
	base := join(begun(1), []any{planned(1, "AB"), hookIn()})
	at := func(letter, cwd, branch string) any {
		return with(started(1, letter), func(d *runevents.AgentStarted) { d.CWD, d.Branch = cwd, branch })
	}
	playScenes(t, map[string]scene{
		"in its worktree": {join(base, []any{worktree(1, "A")}), started(1, "A"), nil},
		"none at all":     {base, started(1, "A"), []string{"V WP-7 AGENT-WITHOUT-WORKTREE"}},
		"another's only": {
			join(base, []any{worktree(1, "B")}), started(1, "A"),
			[]string{"V WP-7 AGENT-WITHOUT-WORKTREE"},
		},
		"removed before": {
			join(base, []any{worktree(1, "A"), removed(1, "A")}), started(1, "A"),
			[]string{"V WP-7 AGENT-WITHOUT-WORKTREE"},
		},
		"on main": {
			join(base, []any{worktree(1, "A")}), at("A", "/srv/shop", "main"),
			[]string{"V WP-7 AGENT-OUTSIDE-WORKTREE"},
		},
		"in the main folder": {
			join(base, []any{worktree(1, "A")}), at("A", "/srv/shop", ""),
			[]string{"V WP-7 AGENT-OUTSIDE-WORKTREE"},
		},
		"in a folder of it": {join(base, []any{worktree(1, "A")}), at("A",
			"/srv/shop/.claude/worktrees/wave1-agent-A/cmd", ""), nil},
		"it does not say where": {join(base, []any{worktree(1, "A")}), at("A", "", ""), nil},
		"a wave that grows": {
			join(begun(1), []any{hookIn(), started(1, "A")}), started(1, "B"),
			[]string{"V WP-7 AGENT-WITHOUT-WORKTREE", "V WP-7 AGENT-WITHOUT-WORKTREE"},
		},
		"solo": {
			join(begun(1), []any{planned(1, "A"), hookIn()}), at("A", "/srv/shop", "main"),
			nil,
		},
		"claimed, no infra": {join(begun(1), []any{planned(1, "AB"), with(worktree(1, "A"),
			func(d *runevents.WorktreeCreated) { d.Actor = orchestrator })}), started(1, "A"), []string{"W WP-18 HOOK-MISSING"}},
		"claimed against a fact": {join(base, []any{worktree(1, "B"), with(worktree(1, "A"),
			func(d *runevents.WorktreeCreated) { d.Actor = orchestrator })}), started(1, "A"), []string{"V WP-7 AGENT-WITHOUT-WORKTREE"}},
		"no letter, no wave": {base, &runevents.AgentStarted{Actor: orchestrator, AgentID: "x"}, nil},
		"its branch is only said": {
			join(base, []any{worktree(1, "A")}), at("A", "/mnt/elsewhere", "wave1-agent-A"),
			[]string{"V WP-7 AGENT-OUTSIDE-WORKTREE"},
		},
		"a folder of its worktree": {join(base, []any{worktree(1, "A")}), at("A",
			"/w/.claude/worktrees/wave1-agent-A/src", "wave1-agent-A"), nil},
		"session in the main tree": {
			join(base, []any{worktree(1, "A")}), sessionAt("wave1-agent-A", "/w"),
			[]string{"V WP-7 AGENT-OUTSIDE-WORKTREE"},
		},
		"session in its worktree": {join(base, []any{worktree(1, "A")}), sessionAt("wave1-agent-A",
			"/w/.claude/worktrees/wave1-agent-A"), nil},
		"session of another":      {join(base, []any{worktree(1, "A")}), sessionAt("somebody", "/w"), nil},
		"session without a place": {join(base, []any{worktree(1, "A")}), sessionAt("wave1-agent-A", ""), nil},
	})
}

func sessionAt(agent, workspace string) *sessionevents.SessionOpened {
	return &sessionevents.SessionOpened{
		Session: "s", Run: "run", Agent: &sessionevents.Agent{ID: agent},
		Workspace: workspace,
	}
}

func TestReviewGate(t *testing.T) { // WP-8
	early := &runevents.ScaffoldCommitted{Actor: scaffolder, Files: []string{"t.go"}, SHA: "a"}
	byGit := &runevents.GitCommit{Actor: infra, SHA: "a", Branch: "main", Author: "scaffold-1", Files: []string{"t.go"}}
	cosmetic := []string{"V WP-8 REVIEW-GATE-COSMETIC"}
	playScenes(t, map[string]scene{
		"committed before":          {[]any{protocolRun(), scouted(1, "t.go")}, early, cosmetic},
		"committed by git before":   {[]any{protocolRun(), scouted(1, "t.go")}, byGit, cosmetic},
		"the scout made it":         {[]any{protocolRun(), byGit}, scouted(1, "t.go"), cosmetic},
		"the plan says so":          {[]any{protocolRun()}, &runevents.ScoutCompleted{Actor: scout, Verdict: "SUITABLE", Scaffolds: []runevents.Scaffold{{File: "t.go", Status: "committed (a1b2c3)"}}}, cosmetic},
		"an orchestrator approved":  {[]any{protocolRun(), scouted(1, "t.go"), &runevents.PlanApproved{Actor: orchestrator}}, early, cosmetic},
		"committed after":           {[]any{protocolRun(), scouted(1, "t.go"), approved(), &runevents.ScaffoldStarted{Actor: scaffolder}}, early, nil},
		"another file":              {[]any{protocolRun(), scouted(1, "t.go")}, &runevents.GitCommit{Actor: infra, SHA: "a", Branch: "main", Author: "Jo", Files: []string{"docs/IMPL.md"}}, nil},
		"told of once":              {[]any{protocolRun(), scouted(1, "t.go"), byGit}, early, nil},
		"launch after one approval": {[]any{protocolRun(), scouted(1, "t.go"), early, approved(), planned(1, "AB")}, launched(1), []string{"gate launch WP-8 deny"}},
		"launch after a second one": {[]any{protocolRun(), scouted(1, "t.go"), early, approved(), approved(), planned(1, "AB")}, launched(1), nil},
	})
}

func TestOrder(t *testing.T) { // WP-9
	listed := []any{protocolRun(), scouted(1, "t.go"), approved()}
	playScenes(t, map[string]scene{
		"worktree, scaffold pending":       {listed, worktree(1, "A"), []string{"gate worktrees WP-9 deny", "V WP-9 WORKTREE-BEFORE-SCAFFOLD"}},
		"worktree, scaffold started":       {join(listed, []any{&runevents.ScaffoldStarted{Actor: scaffolder}}), worktree(1, "A"), []string{"gate worktrees WP-9 deny", "V WP-9 WORKTREE-BEFORE-SCAFFOLD"}},
		"one of two committed":             {[]any{protocolRun(), scouted(1, "t.go", "u.go"), approved(), &runevents.ScaffoldCommitted{Actor: scaffolder, SHA: "a", Files: []string{"t.go"}}}, worktree(1, "A"), []string{"gate worktrees WP-9 deny", "V WP-9 WORKTREE-BEFORE-SCAFFOLD"}},
		"worktree, scaffold committed":     {join(listed, []any{&runevents.ScaffoldCommitted{Actor: scaffolder, SHA: "a"}}), worktree(1, "A"), nil},
		"no scaffolds":                     {begun(1), worktree(1, "A"), nil},
		"not approved":                     {[]any{protocolRun(), scouted(1)}, worktree(1, "A"), []string{"gate worktrees WP-9 deny"}},
		"not approved, and again":          {[]any{protocolRun(), scouted(1), worktree(1, "A")}, worktree(1, "B"), []string{"gate worktrees WP-9 deny", "V WP-9 ACTED-WITHOUT-ALLOW"}},
		"scaffold before the approval":     {[]any{protocolRun(), scouted(1, "t.go")}, &runevents.ScaffoldStarted{Actor: scaffolder}, []string{"V WP-9 ILLEGAL-TRANSITION"}},
		"launch, scaffold pending":         {join(listed, []any{planned(1, "AB")}), launched(1), []string{"gate launch WP-9 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"an orchestrator's approval":       {[]any{protocolRun(), scouted(1)}, &runevents.PlanApproved{Actor: orchestrator}, []string{"W EV-10 UNPROVEN-CLAIM"}},
		"launch on that":                   {[]any{protocolRun(), scouted(1), &runevents.PlanApproved{Actor: orchestrator}}, launched(1), []string{"gate launch WP-9 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"agents in spite of the denial":    {[]any{protocolRun(), scouted(1), planned(1, "A"), launched(1)}, started(1, "A"), []string{"V WP-9 ACTED-WITHOUT-ALLOW"}},
		"agents after a late approval":     {[]any{protocolRun(), scouted(1), planned(1, "A"), launched(1), approved()}, started(1, "A"), nil},
		"agents alone, not approved":       {[]any{protocolRun(), scouted(1), planned(1, "A")}, started(1, "A"), []string{"gate launch WP-9 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"a late scaffold, not approved":    {[]any{protocolRun(), scouted(1, "t.go"), planned(1, "AB"), &runevents.ScaffoldCommitted{Actor: scaffolder, Files: []string{"t.go"}, SHA: "a"}}, launched(1), []string{"gate launch WP-8 deny", "V WP-16 ILLEGAL-TRANSITION"}},
		"the scaffold without a scaffold":  {begun(1), &runevents.ScaffoldStarted{Actor: scaffolder}, []string{"V WP-16 ILLEGAL-TRANSITION"}},
		"solo with a pending scaffold":     {[]any{protocolRun(), scouted(1, "t.go"), planned(1, "A"), approved()}, launched(1), nil},
		"solo with a pending scaffold (W)": {[]any{protocolRun(), scouted(1, "t.go")}, planned(1, "A"), []string{"W WP-13 SCAFFOLDS-FOR-SOLO"}},
		"solo, waves not numbered (W)":     {[]any{protocolRun(), scouted(0, "t.go"), planned(1, "A")}, approved(), []string{"W WP-13 SCAFFOLDS-FOR-SOLO"}},
		"solo, then two: scaffold first":   {[]any{protocolRun(), scouted(2, "t.go"), planned(1, "A"), planned(2, "AB"), approved()}, launched(1), []string{"gate launch WP-9 deny", "V WP-16 ILLEGAL-TRANSITION"}},
	})
}
