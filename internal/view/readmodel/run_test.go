package readmodel_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/fleetreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

func runsOf(t *testing.T, m *readmodel.Model, f runlist.Filter, p readmodel.Page) []runlist.Run {
	t.Helper()
	list, err := m.Runs(t.Context(), f, p)
	require.NoError(t, err)
	return list
}

// The list is the one that is folded from the stream, and the sums are those of
// the runs' own reports: three ways, one answer.
func TestRunsAreAsTheirReportsTell(t *testing.T) {
	for seed := range uint64(3) {
		records := random(seed, 12, 1500)
		m := open(t, readmodel.Options{Path: filepath.Join(t.TempDir(), "m.db")})
		fill(t, m, records, 1, 40, 7)
		list, reports := runlist.New(), runreport.NewSet()
		for _, r := range records {
			list.Add(r.Event)
			reports.Apply(r.Event)
		}
		got := runsOf(t, m, runlist.Filter{}, readmodel.Page{})
		require.Equal(t, len(list.Runs()), len(got))
		open := 0
		for i, want := range list.Runs() {
			requireJSON(t, want, got[i])
			open += len(want.Escalations) + len(want.Questions)
		}
		var want fleetreport.BreakFigures
		helped := map[string]int{"held": 0, "recurred": 0, "untested": 0, "open": 0}
		for _, one := range reports.Results() {
			for _, b := range one.Breaks {
				want.Hard++
				switch b.Warrant.Verdict {
				case runevents.Warranted:
					want.Warranted++
				case runevents.NotWarranted:
					want.NotWarranted++
				case runevents.Unclear:
					want.Unclear++
				case runevents.TooEarly:
					want.TooEarly++
				}
				if b.Resumed != nil {
					want.Resumed++
				}
			}
			for _, c := range one.Corrections {
				helped[c.Outcome]++
			}
		}
		f := report(t, m, "", "").Runs
		require.Equal(t, want, f.Breaks)
		require.Equal(t, helped, map[string]int{"held": f.Corrected.Held, "recurred": f.Corrected.Recurred, "untested": f.Corrected.Untested, "open": f.Corrected.Open})
		require.Equal(t, open, f.Escalations.Open+f.Questions.Open)
		require.Greater(t, f.Escalations.Answered, 0)
		require.Equal(t, f.Escalations.Raised, f.Escalations.Open+f.Escalations.Answered+f.Escalations.Superseded)
		require.NotNil(t, f.Escalations.MedianSeconds)
	}
}

func requireJSON(t *testing.T, want, got any) {
	t.Helper()
	require.JSONEq(t, jsonOf(t, want), jsonOf(t, got))
}

// One run, by hand: what moves when it is resumed, ends and is answered.
func TestARunInTheFleet(t *testing.T) {
	w := newWriter()
	w.about("r", "r", "", runevents.TypeRunStarted, &runevents.RunStarted{Project: "shop"})
	w.about("r", "r", "", runevents.TypeAgentCompleted, &runevents.AgentCompleted{AgentID: "m"})
	broken := w.broken("r", runevents.TriggerAgentFailures)
	m := modelOf(t, w)
	f := report(t, m, "", "").Runs
	require.Equal(t, []fleetreport.RunState{{State: "halted", Runs: 1}}, f.States)
	require.Equal(t, fleetreport.BreakFigures{Hard: 1, TooEarly: 1}, f.Breaks)
	require.Equal(t, fleetreport.WaitFigures{Raised: 1, Open: 1}, f.Escalations)
	require.Equal(t, "shop", f.Projects[0].Project)
	require.Equal(t, broken, runsOf(t, m, runlist.Filter{State: "halted", Project: "shop", Waiting: true}, readmodel.Page{})[0].Break.ID)
	require.Empty(t, runsOf(t, m, runlist.Filter{Project: "web"}, readmodel.Page{}))

	w.skipDay()
	w.running("r")
	w.about("r", "r", "", runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: " Success "})
	w.judged("r", broken, runevents.NotWarranted, true)
	f = report(t, modelOf(t, w), "", "").Runs
	require.Equal(t, []fleetreport.RunState{{State: "done", Runs: 1}}, f.States)
	require.Equal(t, []fleetreport.RunOutcome{{Outcome: "success", Runs: 1}}, f.Outcomes)
	require.Equal(t, fleetreport.BreakFigures{Hard: 1, Resumed: 1, NotWarranted: 1}, f.Breaks)
	require.Equal(t, []int{1, 0, 1}, []int{f.Escalations.Raised, f.Escalations.Open, f.Escalations.Answered}, "the resume answers what reported the break")
	require.InDelta(t, (24*time.Hour + 21*time.Second).Seconds(), *f.Escalations.MedianSeconds, 1e-6)
	first := report(t, modelOf(t, w), "", "2026-01-05").Runs
	require.Equal(t, fleetreport.BreakFigures{Hard: 1, Resumed: 1, NotWarranted: 1}, first.Breaks, "all of it counts on the day of the break")
	require.Empty(t, report(t, modelOf(t, w), "2026-01-06", "").Runs.Projects, "nothing came on the second day")
}

// PL-10: a warning concluded in the group of a workspace counts for the run that it is
// about, one about a session for the session's run.
func TestAWarningOfTheWorkspaceCountsForItsRun(t *testing.T) {
	w := newWriter()
	for _, run := range []string{"first", "second"} {
		w.about(run, run, "", runevents.TypeRunStarted, &runevents.RunStarted{Project: "of " + run})
	}
	w.about("workspace-x", "second", "", runevents.TypeWarningIssued, &runevents.WarningIssued{Code: runevents.CodeRunInProgress, Rule: "PL-10"})
	w.about("first", "session", "", runevents.TypeWarningIssued, &runevents.WarningIssued{Code: "SESSION-ORPHANED", Rule: "PL-10"})
	w.about("first", "session", "", runevents.TypeWarningIssued, &runevents.WarningIssued{Code: "SESSION-ORPHANED", Rule: "PL-10"})
	m := modelOf(t, w)
	f := report(t, m, "", "").Runs
	require.Equal(t, 2, f.RunFigures.Runs)
	for i, want := range map[string]int{"first": 2, "second": 1} {
		at := slices.IndexFunc(f.Projects, func(p fleetreport.Project) bool { return p.Project == "of "+i })
		require.Equal(t, want, f.Projects[at].Warnings, i)
		list := runsOf(t, m, runlist.Filter{Project: "of " + i}, readmodel.Page{})
		require.Equal(t, want, list[0].Warnings, i)
	}
}

// RW-35, RW-15: a session without a run counts with its breaks, not as a run; the
// group of a project is none either.
func TestWhatIsNoRun(t *testing.T) {
	w := newWriter()
	w.turn("lone", 1)
	w.add(runevents.TypeWiggumBreak, "lone", &runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: runevents.TriggerStuckLoop, Scope: runevents.ScopeSession, Session: "lone"})
	w.about("project-x", "project-x", "", runevents.TypeEscalationRaised, &runevents.EscalationRaised{Issue: "broken_window", To: "user", Run: "r"})
	w.turn("quiet", 1)
	f := report(t, modelOf(t, w), "", "").Runs
	require.Zero(t, f.RunFigures.Runs)
	require.Equal(t, 1, f.Breaks.Hard)
	require.Equal(t, 1, f.Escalations.Open)
	require.Empty(t, f.States)
}

// What runs choose has a bound, and a run of any size leaves when there is no room.
func TestHostileRuns(t *testing.T) {
	w := newWriter()
	for i := range 300 {
		run := fmt.Sprint("r", i)
		w.about(run, run, "", runevents.TypeRunStarted, &runevents.RunStarted{Project: fmt.Sprint("p", i)})
		w.about(run, run, "", runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: fmt.Sprint("o", i)})
	}
	for i := range 2000 { // one that asks for ever
		w.about("asks", "asks", "", runevents.TypeClarificationRequested, &runevents.ClarificationRequested{RequestID: fmt.Sprint("q", i)})
		w.about("asks", "asks", "", runevents.TypeClarificationDefaulted, &runevents.ClarificationDefaulted{RequestID: fmt.Sprint("q", i)})
	}
	w.at = time.Date(250_000, 1, 1, 0, 0, 0, 0, time.UTC)
	w.broken("late", runevents.TriggerAgentFailures)
	m := open(t, readmodel.Options{MaxBytes: 200_000})
	fill(t, m, w.records, 100)
	f := report(t, m, "", "").Runs
	require.Len(t, f.Projects, 202, "200, the others, and none")
	require.Len(t, f.Outcomes, 201)
	require.Equal(t, 300, f.RunFigures.Runs, "the counts stay when the rows leave")
	require.Equal(t, 2000, f.Questions.TimedOut)
	at, err := m.Position(t.Context())
	require.NoError(t, err)
	require.LessOrEqual(t, at.Bytes, int64(200_000))
	require.NotEmpty(t, runsOf(t, m, runlist.Filter{}, readmodel.Page{}))
}

// Pages of a list are the list, whatever their size.
func TestPages(t *testing.T) {
	records := random(9, 30, 1500)
	m := open(t, readmodel.Options{})
	fill(t, m, records, 100)
	all := runsOf(t, m, runlist.Filter{}, readmodel.Page{})
	n, err := m.CountRuns(t.Context(), runlist.Filter{})
	require.NoError(t, err)
	require.Len(t, all, n)
	r := rand.New(rand.NewPCG(1, 1))
	var pages []runlist.Run
	for p := (readmodel.Page{}); ; {
		p.Limit = 1 + r.IntN(4)
		list := runsOf(t, m, runlist.Filter{}, p)
		if len(list) == 0 {
			break
		}
		pages = append(pages, list...)
		last := list[len(list)-1]
		p.After = readmodel.Cursor{Last: last.Last, ID: last.ID}
	}
	requireJSON(t, all, pages)

	sessions, err := m.Sessions(t.Context(), 0)
	require.NoError(t, err)
	rest, err := m.SessionsPage(t.Context(), readmodel.Page{After: readmodel.Cursor{Last: sessions[4].Last, ID: sessions[4].Session}})
	require.NoError(t, err)
	require.Equal(t, sessions[5:], rest)
}

func jsonOf(t *testing.T, data any) string {
	t.Helper()
	text, err := json.Marshal(data)
	require.NoError(t, err)
	return string(text)
}
