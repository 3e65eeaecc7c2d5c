package archeflow_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// read reads a log with what lies beside it.
func read(t *testing.T, log string, o transcript.Options) ([]events.Event, *transcript.Source) {
	t.Helper()
	s, err := all.Formats().Open(strings.NewReader(log), o)
	require.NoError(t, err)
	require.Equal(t, "archeflow", s.Format().Name)
	var all []events.Event
	for {
		e, err := s.Next()
		if errors.Is(err, io.EOF) {
			return all, s
		}
		require.NoError(t, err)
		require.NoError(t, events.Validate(e, events.Limits{}))
		all = append(all, e)
	}
}

// line returns one line of a log of the run r-1, a minute after the one before it.
func line(seq int, typ, phase, agent, data string) string {
	return fmt.Sprintf(`{"ts":"2026-03-02T09:%02d:00Z","run_id":"r-1","seq":%d,"parent":[%d],"type":%q,"phase":%q,"agent":%q,"data":%s}`+"\n",
		seq, seq, seq-1, typ, phase, agent, data)
}

func of[T any](all []events.Event) []*T {
	var out []*T
	for _, e := range all {
		if data, ok := e.Data.(*T); ok {
			out = append(out, data)
		}
	}
	return out
}

func files(list map[string]string) fs.FS {
	out := fstest.MapFS{}
	for name, text := range list {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

// What the log only points at is read from the artifacts: findings and score of
// a cycle, an agent's output, the Maker's files, how a finding is to be fixed,
// the budget.
func TestArtifactsAreJoined(t *testing.T) {
	log := line(1, "run.start", "plan", "", `{"task":"limit logins","workflow":"fast"}`) +
		line(2, "agent.complete", "do", "maker", `{"archetype":"maker","artifacts":[".archeflow/artifacts/r-1/do-maker.md"]}`) +
		line(3, "review.verdict", "check", "guardian", `{"verdict":"REJECTED","findings":[{"location":"a.go:7","severity":"CRITICAL","description":"it leaks"},{"location":"b.go","severity":"WARNING","description":"no test"}]}`) +
		line(4, "cycle.boundary", "act", "", `{"cycle":1,"decision":"cycle_back"}`) +
		line(5, "agent.complete", "do", "maker", `{"archetype":"maker"}`) +
		line(6, "cycle.boundary", "act", "", `{"cycle":2,"decision":"merge"}`)
	all, s := read(t, log, transcript.Options{Project: "shop", Beside: files(map[string]string{
		"config.yaml":                               "costs:\n  budget_usd: 2.5\n",
		"artifacts/r-1/cycle-1/do-maker.md":         "Tests: 8 passed.",
		"artifacts/r-1/cycle-1/do-maker-files.txt":  "a.go\nb.go\n",
		"artifacts/r-1/cycle-1/do-maker.diff":       "--- a/a.go\n+++ b/a.go\n-old\n+new\n+more\n context\n",
		"artifacts/r-1/cycle-1/check-guardian.md":   "# Review\n\n| Location | Severity | Category | Description | Fix |\n|---|---|---|---|---|\n| `a.go:7` | CRITICAL | security | it leaks | close it |\n| b.go | WARNING | testing | no test | - |\n",
		"artifacts/r-1/findings-cycle-1.json":       `[{"id":"a.go:security","file":"a.go","line":7,"category":"security","severity":"major","description":"it leaks"}]`,
		"artifacts/r-1/findings-cycle-2.json":       `[{"id":"b.go:testing","file":"b.go","category":"testing","severity":"WARNING"},"damaged",{}]`,
		"artifacts/r-1/convergence-cycle-2.json":    `{"convergence_score":0.5,"status":"stalling"}`,
		"artifacts/r-1/do-maker.md":                 "second work",
		"artifacts/r-1/do-maker-files.txt":          "c.go\n",
		"artifacts/r-1/cycle-1/findings-unread.txt": "",
	})})
	_, problems := s.Problems()
	require.Zero(t, problems)

	start := of[runevents.RunStarted](all)[0]
	require.Equal(t, &runevents.Allowance{Limit: 2.5, Unit: "usd"}, start.Budget)
	require.Equal(t, "shop", start.Project)
	require.Equal(t, "quick", start.Workflow)

	work := of[runevents.AgentCompleted](all)
	require.Equal(t, "Tests: 8 passed.", work[0].Output)
	require.Equal(t, []string{"a.go", "b.go"}, work[0].FilesChanged)
	require.Equal(t, 3, *work[0].DiffLines)
	require.Equal(t, "second work", work[1].Output)
	require.Equal(t, []string{"c.go"}, work[1].FilesChanged)
	require.Nil(t, work[1].DiffLines)

	review := of[runevents.ReviewCompleted](all)[0]
	require.Equal(t, "close it", review.Findings[0].Fix)
	require.Empty(t, review.Findings[1].Fix, "a dash is no fix")

	cycles := of[runevents.CycleCompleted](all)
	require.Equal(t, []runevents.Finding{{ID: "a.go:security", Severity: runevents.SeverityCritical, Category: "security", File: "a.go", Line: 7, Text: "it leaks"}}, cycles[0].Findings)
	require.Nil(t, cycles[0].ConvergenceScore)
	require.Equal(t, "continue", cycles[0].Decision)
	require.Equal(t, []runevents.Finding{{ID: "b.go:testing", Severity: runevents.SeverityWarning, Category: "testing", File: "b.go", State: "deferred"}}, cycles[1].Findings, "a merge leaves the warning behind")
	require.InDelta(t, 0.5, *cycles[1].ConvergenceScore, 0)
	require.Equal(t, "stop", cycles[1].Decision)
}

// A log that names a hostile run leads to no file but its own.
func TestRunsNameNoFiles(t *testing.T) {
	for _, run := range []string{"../artifacts", "..", "a/../b", "/etc", `a\\b`} {
		log := fmt.Sprintf(`{"ts":"2026-03-02T09:00:00Z","run_id":%q,"seq":1,"type":"cycle.boundary","phase":"act","data":{"cycle":1}}`, run) + "\n"
		all, _ := read(t, log, transcript.Options{Beside: refusing{t}})
		require.Len(t, of[runevents.CycleCompleted](all), 1, run)
		require.True(t, events.ValidID(all[0].Subject))
	}
}

type refusing struct{ t *testing.T }

func (f refusing) Open(name string) (fs.File, error) {
	require.Equal(f.t, "config.yaml", name)
	return nil, fs.ErrNotExist
}

// Lines are read in the order of seq, unless the log is followed: there nothing
// waits for a line that may never come.
func TestOrder(t *testing.T) {
	log := line(1, "run.start", "", "", `{}`) + line(3, "agent.complete", "", "maker", `{}`) + line(2, "agent.failed", "", "maker", `{}`)
	outcomes := func(o transcript.Options) (out []string) {
		all, _ := read(t, log, o)
		for _, a := range of[runevents.AgentCompleted](all) {
			out = append(out, a.Outcome)
		}
		return out
	}
	require.Equal(t, []string{"failure", "success"}, outcomes(transcript.Options{}))
	require.Equal(t, []string{"success", "failure"}, outcomes(transcript.Options{Follow: true}))
}

// A long log comes out in order too, though only a window of it is held.
func TestOrderOfALongLog(t *testing.T) {
	var log strings.Builder
	log.WriteString(line(1, "run.start", "", "", `{}`))
	for n := 2; n < 2000; n += 2 {
		for _, seq := range []int{n + 1, n} {
			fmt.Fprintf(&log, `{"run_id":"r-1","seq":%d,"type":"agent.failed","agent":"a%d","data":{}}`+"\n", seq, seq)
		}
	}
	all, _ := read(t, log.String(), transcript.Options{})
	for i, a := range of[runevents.AgentCompleted](all) {
		require.Equal(t, fmt.Sprintf("a%d", i+2), a.AgentID)
	}
}

// Parents become causes: a child points to the first event its newest parent
// became, past lines that became none (EV-1).
func TestParentsAreCauses(t *testing.T) {
	log := line(1, "run.start", "plan", "", `{}`) + line(2, "agent.start", "plan", "creator", `{}`) +
		line(3, "decision.point", "plan", "creator", `{}`) + line(4, "agent.complete", "plan", "creator", `{"estimated_cost_usd":1}`)
	all, _ := read(t, log, transcript.Options{})
	require.Empty(t, all[0].CausationID)
	spawned, completed, spent := all[2], all[3], all[4]
	require.Equal(t, all[0].ID, spawned.CausationID)
	require.Equal(t, spawned.ID, completed.CausationID)
	require.Equal(t, spawned.ID, spent.CausationID)
	again, _ := read(t, log, transcript.Options{})
	require.Equal(t, all, again, "the same bytes give the same events (EV-2)")
}

// A cycle whose findings nobody knows must not look like one without any: its
// findings would come and go.
func TestUnknownFindingsAreNoEmptyCycle(t *testing.T) {
	reviewed := line(1, "review.verdict", "check", "sage", `{"verdict":"REJECTED","findings":[{"id":"a"}]}`) + line(2, "cycle.boundary", "act", "", `{"cycle":1}`)
	for name, c := range map[string]struct {
		log      string
		cycles   int
		problems int
	}{
		"nobody reviewed":               {reviewed + line(3, "cycle.boundary", "act", "", `{"cycle":2}`), 1, 1},
		"counted, and found by nobody":  {line(1, "cycle.boundary", "act", "", `{"cycle":1,"critical":1,"warning":0}`), 0, 1},
		"counted as none":               {reviewed + line(3, "cycle.boundary", "act", "", `{"cycle":2,"critical":0,"warning":0,"info":0}`), 2, 0},
		"reviewed, and nothing found":   {reviewed + line(3, "review.verdict", "check", "sage", `{"verdict":"APPROVED"}`) + line(4, "cycle.boundary", "act", "", `{"cycle":2}`), 2, 0},
		"back, and nobody knows why":    {line(1, "cycle.boundary", "act", "", `{"cycle":1,"decision":"cycle_back"}`), 0, 1},
		"a run that reviews nothing":    {line(1, "cycle.boundary", "act", "", `{"cycle":1}`) + line(2, "cycle.boundary", "act", "", `{"cycle":2}`), 2, 0},
		"reviewed and counted as none":  {line(1, "review.verdict", "check", "sage", `{"verdict":"REJECTED","findings":[{"id":"a"}]}`) + line(2, "cycle.boundary", "act", "", `{"critical":0}`), 0, 1},
		"reviewed and counted the same": {line(1, "review.verdict", "check", "sage", `{"verdict":"REJECTED","findings":[{"id":"a"}]}`) + line(2, "cycle.boundary", "act", "", `{"critical":1}`), 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			all, s := read(t, c.log, transcript.Options{})
			_, problems := s.Problems()
			require.Len(t, of[runevents.CycleCompleted](all), c.cycles)
			require.Equal(t, c.problems, problems)
		})
	}
}

// Judgements of ArcheFlow itself are noted, and its shadows passed on; unknown types are problems.
func TestClaimsAndUnknownTypes(t *testing.T) {
	log := line(1, "run.start", "", "", `{}`)
	for seq := 2; seq < 5; seq++ {
		log += line(seq, "shadow.detected", "check", "guardian", `{"archetype":"guardian","shadow":"paranoid","cycle":1}`)
	}
	log += line(5, "wiggum.break", "act", "", `{"type":"hard"}`) + line(6, "Some Thing", "act", "", `{}`) +
		line(7, "fix.applied", "act", "", `{"source":"guardian","finding":"a"}`) +
		line(8, "decision.point", "check", "guardian", `{"archetype":"guardian","input":"diff","decision":"needs_changes","confidence":0.8}`) +
		line(9, "shadow.detected", "check", "", `{"trigger":"t"}`)
	all, s := read(t, log, transcript.Options{})
	require.Len(t, all, 4)
	require.Equal(t, &runevents.ShadowReported{
		Actor: runevents.Actor{
			Kind: runevents.ActorOrchestrator,
			ID:   "archeflow",
		}, AgentID: "guardian", Archetype: "guardian", Shadow: "paranoid", Cycle: 1,
	}, all[1].Data)
	require.Equal(
		t,
		map[string]int{"shadow.detected": 4, "wiggum.break": 1, "fix.applied": 1, "decision.point": 1},
		s.Stats().Noted,
	)
	list, total := s.Problems()
	require.Equal(t, 2, total)
	require.Equal(t, "a shadow.detected without an archetype or a shadow", list[1].Reason)
	require.Equal(t, "an event of unknown type", list[0].Reason, "a reason quotes no content")
	require.Equal(t, 1, s.Stats().Runs)
	require.Equal(t, 4, s.Stats().RunEvents)
}

// An agent's name need not be an id: its shadow is passed on (EV-3).
func TestShadowOfAnAgentWithABlankInItsName(t *testing.T) {
	all, _ := read(t, line(1, "run.start", "", "", `{}`)+
		line(2, "shadow.detected", "check", "security reviewer", `{"shadow":"paranoid"}`), transcript.Options{})
	require.Len(t, all, 2)
	require.NoError(t, events.Validate(all[1], events.Limits{}))
	shadow := all[1].Data.(*runevents.ShadowReported)
	require.Equal(t, "security reviewer", shadow.Archetype)
	require.True(t, strings.HasPrefix(shadow.AgentID, "security-reviewer-"), shadow.AgentID)
}

// Words of severity, verdict and place as reviewers write them.
func TestWords(t *testing.T) {
	log := line(1, "review.verdict", "check", "sage", `{"verdict":"needs changes","findings":[
		{"severity":"**CRITICAL**","location":"src/a.go:3-9"},{"severity":"minor","location":"`+"`src/b.go`"+`"},
		{"severity":"nit","location":"the whole design"},{"severity":"terrible","file":"c.go","line":"12","status":"resolved"},
		null,7,"text",{"line":-1,"id":"x"}]}`)
	all, s := read(t, strings.ReplaceAll(log, "\n\t\t", "")+"\n", transcript.Options{})
	_, problems := s.Problems()
	require.Zero(t, problems)
	review := of[runevents.ReviewCompleted](all)[0]
	require.Equal(t, "rejected", review.Verdict)
	require.Equal(t, []runevents.Finding{
		{Severity: runevents.SeverityCritical, File: "src/a.go", Line: 3, Fix: unsaid, Repro: unsaid},
		{Severity: runevents.SeverityWarning, File: "src/b.go", Fix: unsaid, Repro: unsaid},
		{File: "c.go", Line: 12, State: "fixed", Fix: unsaid, Repro: unsaid},
		{ID: "x", Fix: unsaid, Repro: unsaid},
	}, review.Findings)
}

const unsaid = "(the log does not say)"

// The log has no place for fixes and steps. Where no other source knows them
// either, a finding without is no careless one; where one of them is known, the
// others are missing.
func TestWhatTheLogDoesNotSay(t *testing.T) {
	log := func(first string) string {
		return line(1, "review.verdict", "check", "trickster", `{"verdict":"REJECTED","findings":[`+first+`,{"id":"b","severity":"INFO"}]}`) +
			line(2, "cycle.boundary", "act", "", `{"cycle":1}`)
	}
	all, _ := read(t, log(`{"id":"a"}`), transcript.Options{})
	require.Equal(t, unsaid, of[runevents.ReviewCompleted](all)[0].Findings[1].Fix)
	require.Empty(
		t,
		of[runevents.CycleCompleted](all)[0].Findings[1].Fix,
		"what is open at the end of a cycle is told as it is",
	)
	all, _ = read(t, log(`{"id":"a","fix":"x","repro":"y"}`), transcript.Options{})
	require.Equal(
		t,
		runevents.Finding{ID: "b", Severity: runevents.SeverityInfo},
		of[runevents.ReviewCompleted](all)[0].Findings[1],
	)
}

// A total at the end of the run is no further cost.
func TestCosts(t *testing.T) {
	log := line(1, "agent.complete", "", "a", `{"estimated_cost_usd":0.1}`) + line(2, "agent.complete", "", "a", `{"estimated_cost_usd":"0.2"}`) +
		line(3, "agent.complete", "", "a", `{"estimated_cost_usd":-4}`) + line(4, "run.complete", "", "", `{"status":"merged","estimated_cost_usd":0.3}`)
	all, _ := read(t, log, transcript.Options{})
	var spent []float64
	for _, s := range of[runevents.SpendReported](all) {
		spent = append(spent, s.Spent)
	}
	require.Equal(t, []float64{0.1, 0.3}, spent)
	require.IsType(t, &runevents.RunCompleted{}, all[len(all)-1].Data, "the run's end is its last event")
}
