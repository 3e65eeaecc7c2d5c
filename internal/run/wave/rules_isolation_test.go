package wave

import (
	"testing"

	"github.com/stretchr/testify/require"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func TestHook(t *testing.T) { // WP-18
	base := join(begun(1), []any{planned(1, "AB"), worktree(1, "A"), worktree(1, "B"), launched(1)})
	running := join(begun(1), running(1, "AB"))
	mergedNow := join(running, working(1, "AB", ""), []any{mergeRequested(1), merged(1)})
	unrestored := &runevents.HookRemoved{Actor: infra, Backup: true}
	playScenes(t, map[string]scene{
		"installed":             {join(base, []any{hookIn()}), started(1, "A"), nil},
		"missing":               {base, started(1, "A"), []string{"W WP-18 HOOK-MISSING"}},
		"missing, told once":    {join(base, []any{started(1, "A")}), started(1, "B"), nil},
		"only claimed":          {join(base, []any{&runevents.HookInstalled{Actor: orchestrator}}), started(1, "A"), []string{"W WP-18 HOOK-MISSING"}},
		"removed early":         {running, hookOut(), []string{"W WP-18 HOOK-REMOVED-EARLY"}},
		"removed":               {mergedNow, hookOut(), nil},
		"not put back":          {mergedNow, unrestored, []string{"W WP-18 HOOK-NOT-RESTORED"}},
		"nothing to put back":   {join(base, []any{&runevents.HookInstalled{Actor: infra}, started(1, "A"), started(1, "B")}, working(1, "AB", ""), []any{mergeRequested(1), merged(1)}), &runevents.HookRemoved{Actor: infra}, nil},
		"left at the end":       {join(mergedNow, []any{tested(true)}), finished(), []string{"W WP-18 HOOK-NOT-REMOVED"}},
		"left for the next":     {join(mergedNow, []any{tested(true), planned(2, "AB")}), launched(2), []string{"W WP-18 HOOK-NOT-REMOVED"}},
		"installed over itself": {join(mergedNow, []any{tested(true)}), hookIn(), []string{"W WP-18 HOOK-NOT-REMOVED"}},
	})
}

func TestField0(t *testing.T) { // WP-18
	base := join(begun(1), []any{planned(1, "AB"), hookIn(), worktree(1, "A"), worktree(1, "B"), launched(1), started(1, "A"), started(1, "B")})
	edits := &sessionevents.TurnEvaluated{Session: "s-A", Turn: 1, Observed: &sessionevents.Observations{FilesEdited: []string{"a.go"}}}
	looks := &sessionevents.TurnEvaluated{Session: "s-A", Turn: 1, Observed: &sessionevents.Observations{FilesRead: 3}}
	playScenes(t, map[string]scene{
		"checked":                {join(base, []any{checked(1, "A", true)}), commit(1, "A"), nil},
		"missing at a commit":    {base, commit(1, "A"), []string{"W WP-18 FIELD0-MISSING"}},
		"missing at the end":     {base, completed(1, "A"), []string{"W WP-18 FIELD0-MISSING"}},
		"missing, told once":     {join(base, []any{commit(1, "A")}), completed(1, "A"), nil},
		"failed, then a turn":    {join(base, []any{checked(1, "A", false)}), edits, []string{"V WP-18 FIELD0-FAILED-EDITS"}},
		"failed, then reading":   {join(base, []any{checked(1, "A", false)}), looks, nil},
		"failed, then commit":    {join(base, []any{checked(1, "A", false)}), commit(1, "A"), []string{"V WP-18 FIELD0-FAILED-EDITS"}},
		"failed, then to main":   {join(base, []any{checked(1, "A", false)}), &runevents.GitCommit{Actor: infra, SHA: "m", Branch: "main", Letter: "A", Files: []string{"a.go"}}, []string{"V WP-18 FIELD0-FAILED-EDITS", "V WP-4 SAW-COMMIT-MAIN", "interrupt s-A"}},
		"failed, wave not told":  {join(base, []any{checked(0, "A", false)}), commit(1, "A"), []string{"V WP-18 FIELD0-FAILED-EDITS"}},
		"failed, wave not known": {[]any{started(1, "A"), checked(0, "A", false)}, commit(1, "A"), []string{"V WP-18 FIELD0-FAILED-EDITS"}},
		"failed, then report":    {join(base, []any{checked(1, "A", false)}), completed(1, "A"), []string{"V WP-18 FIELD0-FAILED-EDITS"}},
		"failed, then exit": {join(base, []any{checked(1, "A", false)}), with(completed(1, "A"), func(d *runevents.AgentCompleted) {
			d.Outcome, d.Status, d.Commit, d.FilesChanged = "failure", "", "", nil
		}), []string{"W WP-15 AGENT-BLOCKED"}},
		"failed, then passed": {join(base, []any{checked(1, "A", false), checked(1, "A", true)}), commit(1, "A"), nil},
		"solo on main":        {join(begun(1), []any{planned(1, "A"), launched(1), started(1, "A")}), completed(1, "A"), nil},
	})
}

func TestIsolationReport(t *testing.T) { // WP-17
	p := play(t)
	p.all(join(begun(1), running(1, "AB"))...)
	blocked := mainCommit("A")
	blocked.Blocked = true
	p.all(blocked, mainCommit("B"), commit(1, "A"), completed(1, "A"), completed(1, "B"), mergeRequested(1))
	report := p.judged.Isolation
	require.Len(t, report.Layers, 5)
	require.Equal(t, "Pre-commit hook", report.Layers[0].Name)
	require.Len(t, report.Incidents, 2)
	require.Equal(t, []runevents.CaughtBy{runevents.CaughtByLayer0}, report.Incidents[0].CaughtBy)
	require.False(t, report.Incidents[0].Observer)
	require.Equal(t, []runevents.CaughtBy{"4"}, report.Incidents[1].CaughtBy, "the observer is no layer")
	require.True(t, report.Incidents[1].Observer)
	require.Equal(t, []runevents.LayerState{runevents.LayerFailed, runevents.LayerFailed, runevents.LayerFailed, runevents.LayerFailed, runevents.LayerCaught}, report.Incidents[1].Layers)
	require.Equal(t, runevents.IsolationLayer{Layer: 4, Name: "Merge-time trip wire", Caught: 1}, report.Layers[4])
}

func TestConformance(t *testing.T) { // WP-19
	p := play(t)
	p.all(join(begun(2), running(1, "AB"), []any{mainCommit("A")}, working(1, "AB", "B"), []any{mergeRequested(1), launched(2)})...)
	found := map[string]runevents.Conformity{}
	for _, c := range p.judged.Conformance {
		found[c.ID] = c.Conformity
		require.NotEmpty(t, c.Title)
	}
	require.Len(t, found, 20)
	require.Equal(t, runevents.ConformityBroken, found["E4"])
	require.Equal(t, runevents.ConformityBroken, found["I3"])
	require.Equal(t, runevents.ConformityBroken, found["I6"])
	require.Equal(t, runevents.ConformityHeld, found["I1"])
	require.Equal(t, runevents.ConformityNotSeen, found["E6"])
	var broken []string
	for _, r := range p.judged.RulesBroken {
		broken = append(broken, r.ID)
	}
	require.Equal(t, []string{"WP-2", "WP-4", "WP-14"}, broken)
}
