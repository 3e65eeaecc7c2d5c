package e2e

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/reporter"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/fleetreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

// reporterVariable makes this test binary a reporter: its value is the path of the read model; the other
// settings come from the environment.
const reporterVariable = "SCAFFOLDWATCH_TEST_REPORTER"

// runReporter is the main function of the child process of TestKilledReporter.
func runReporter(database string) {
	os.Exit(service.Main(reporter.Service, []string{
		"--reports-database", database, "--streams-partitions", "4", "--http-address", "127.0.0.1:0", "--log-level", "error",
	}, os.Environ(), os.Stdout, os.Stderr))
}

// snapshot returns the content of a read model as text.
func snapshot(t *testing.T, m *readmodel.Model) string {
	t.Helper()
	f, err := m.Fleet(t.Context(), fleetreport.Period{}, nil)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, fleetreport.Report(f).Write(&text, "json", doc.Screen{}))
	sessions, err := m.Sessions(t.Context(), 0)
	require.NoError(t, err)
	runs, err := m.Runs(t.Context(), runlist.Filter{}, readmodel.Page{})
	require.NoError(t, err)
	listed, err := json.Marshal(runs)
	require.NoError(t, err)
	totals, err := m.Totals(t.Context())
	require.NoError(t, err)
	mutes, err := m.Mutes(t.Context())
	require.NoError(t, err)
	at, err := m.Position(t.Context())
	require.NoError(t, err)
	return fmt.Sprintf("%s\n%+v\n%s\n%+v\n%+v\n%+v", text.String(), sessions, listed, totals, mutes, at)
}

func reading(t *testing.T, path string) *readmodel.Model {
	t.Helper()
	m, err := readmodel.OpenReadOnly(t.Context(), path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// A reporter that is killed again and again while it reads ends up with the same read model as one that was
// not, and as a rebuilt one.
func TestKilledReporter(t *testing.T) {
	if testing.Short() {
		t.Skip("kills many processes")
	}
	folder := t.TempDir()
	steady, killed := filepath.Join(folder, "steady.db"), filepath.Join(folder, "killed.db")
	s := startWith(t, func(c *config.Config) { c.Reports.Database = steady; c.Reports.Directory = "" }, "127.0.0.1:0")
	kills := proofs.Size(3, 8)
	var fleets [][]events.Event
	told, sessions := 0, 0
	for i := range 2 * kills {
		list, err := demo.Sessions(time.Date(2026, 1, 5+i, 9, 0, 0, 0, time.UTC))
		require.NoError(t, err)
		for _, session := range list {
			fleets = append(fleets, renamed(session, fmt.Sprint("-", i)))
			sessions++
		}
		runs, err := demo.Runs(time.Date(2026, 1, 5+i, 9, 0, 0, 0, time.UTC))
		require.NoError(t, err)
		for _, run := range runs {
			fleets = append(fleets, renamed(run, fmt.Sprint("-", i)))
			told += len(run)
		}
	}
	last := uint64(0)
	for i := range kills { // it is killed while events arrive, right after it has stored some
		child := reporterProcess(t, s, killed)
		s.publish(flat(fleets[len(fleets)*i/kills : len(fleets)*(i+1)/kills]))
		require.Eventually(t, func() bool {
			at := reached(t, killed)
			grew := at > last
			last = max(at, last)
			return grew
		}, patience, time.Millisecond)
		require.NoError(t, child.Process.Kill())
		require.Error(t, child.Wait())
	}
	s.decided(sessions)
	s.evaluated(told)
	child := reporterProcess(t, s, killed)
	want := settled(t, s, steady)
	require.Eventually(t, func() bool { return snapshot(t, reading(t, killed)) == want }, patience, 100*time.Millisecond)
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())

	var out bytes.Buffer
	rebuilt := config.Reports{Database: filepath.Join(folder, "rebuilt.db"), DatabaseBytes: 1 << 30}
	require.NoError(t, reporter.Rebuild(t.Context(), rebuilt, s.broker, slog.New(slog.DiscardHandler), &out))
	require.Contains(t, out.String(), fmt.Sprintf("%d sessions and %d runs", sessions, len(fleets)-sessions))
	require.Contains(t, want, `"trigger": "agent_failures"`)
	require.Equal(t, want, snapshot(t, reading(t, rebuilt.Database)))
	require.NoError(t, reporter.Rebuild(t.Context(), rebuilt, s.broker, slog.New(slog.DiscardHandler), &out))
	require.Equal(t, want, snapshot(t, reading(t, rebuilt.Database)), "again")

	// Deleted rows are detected, until they are rebuilt.
	lost := config.Reports{Database: killed, DatabaseBytes: 1 << 30}
	found, err := reporter.Check(t.Context(), lost, s.broker)
	require.NoError(t, err)
	require.Empty(t, found.Differences)
	db, err := sql.Open("sqlite", killed)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "DELETE FROM interrupts WHERE id = (SELECT max(id) FROM interrupts)")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	found, err = reporter.Check(t.Context(), lost, s.broker)
	require.NoError(t, err)
	require.Len(t, found.Differences, 1)
	require.Equal(t, []any{"interrupts", 1, 0}, []any{found.Differences[0].Table, found.Differences[0].Missing, found.Differences[0].Foreign})
	require.NoError(t, reporter.Rebuild(t.Context(), lost, s.broker, slog.New(slog.DiscardHandler), &out))
	found, err = reporter.Check(t.Context(), lost, s.broker)
	require.NoError(t, err)
	require.Empty(t, found.Differences)
}

// evaluated waits until the given number of run events have been decided.
func (s *running) evaluated(told int) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		n := 0
		err := read.All(s.t.Context(), s.broker, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions, Filters: []string{subjects.FleetFilter(runevents.TypeRunEvaluated)}}, func(read.Accepted) error {
			n++
			return nil
		})
		return err == nil && n >= told
	}, patience, 50*time.Millisecond)
}

// settled waits until the model holds all of DECISIONS.
func settled(t *testing.T, s *running, path string) string {
	t.Helper()
	memory, err := decisions.ReadModel(t.Context(), decisions.ReadAfresh, s.broker)
	require.NoError(t, err)
	defer memory.Close()
	at, err := memory.Position(t.Context())
	require.NoError(t, err)
	m := reading(t, path)
	require.Eventually(t, func() bool {
		is, err := m.Position(t.Context())
		return err == nil && is.Sequence == at.Sequence && is.Anchor == at.Anchor
	}, patience, 20*time.Millisecond)
	return snapshot(t, m)
}

func reporterProcess(t *testing.T, s *running, database string) *exec.Cmd {
	t.Helper()
	child := exec.CommandContext(context.Background(), os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), reporterVariable+"="+database, "SCAFFOLDWATCH_NATS_URL="+s.URL())
	child.Stderr = os.Stderr
	require.NoError(t, child.Start())
	return child
}

// reached returns the position of the read model in a file, 0 if there is none.
func reached(t *testing.T, path string) uint64 {
	t.Helper()
	m, err := readmodel.OpenReadOnly(t.Context(), path)
	if err != nil {
		return 0
	}
	defer m.Close()
	at, err := m.Position(t.Context())
	if err != nil {
		return 0
	}
	return at.Sequence
}

// renamed returns a session under another name.
func renamed(list []events.Event, suffix string) []events.Event {
	out := make([]events.Event, len(list))
	for i, e := range list {
		text, err := events.MarshalStructured(e)
		if err != nil {
			panic(err)
		}
		text = bytes.ReplaceAll(text, []byte(`"`+e.Subject+`"`), []byte(`"`+e.Subject+suffix+`"`))
		if out[i], err = events.UnmarshalStructured(text); err != nil {
			panic(err)
		}
		out[i].ID += suffix
	}
	return out
}

// A person's answers reach the dispatcher, the report and the metrics: a dismissal refunds the unit of the
// budget, a mute suppresses (DP-15, DP-25).
func TestAnswers(t *testing.T) {
	s := start(t, func(c *config.Config) { c.HTTP.Address = "127.0.0.1:0" })
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	list, err := demo.Sessions(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	byName := map[string][]events.Event{}
	for _, session := range list {
		byName[session[0].Subject] = session
	}
	webhook, export := byName["payments-webhook"], byName["csv-export"]
	s.publish(webhook[:5]) // with the turn of the credential
	var open []readmodel.Interrupt
	require.Eventually(t, func() bool {
		open, err = decisions.UnansweredInterruptsOf(t.Context(), s.broker, decisions.Place{ID: "payments-webhook", Group: "payments-webhook"}, 10)
		return err == nil && len(open) == 1
	}, patience, 50*time.Millisecond)
	_, err = decisions.FindInterrupt(t.Context(), s.broker, "nosuchinterrupt")
	require.ErrorIs(t, err, decisions.ErrNoInterrupt)
	to, err := decisions.FindInterrupt(t.Context(), s.broker, open[0].ID[:8])
	require.NoError(t, err)
	require.True(t, to.Charged)

	target := operator.Target{Session: "csv-export", Group: "csv-export"}
	mute, err := operator.Mute(target, runevents.MuteDetails{Scope: runevents.MuteDetector, Detector: "D2", Turns: 50}, "ann", "wanted", time.Now())
	require.NoError(t, err)
	_, err = operator.Mute(target, runevents.MuteDetails{Scope: runevents.MuteDetector}, "ann", "wanted", time.Now())
	require.ErrorContains(t, err, "requires a detector")
	require.NoError(t, operator.Publish(t.Context(), s.nc, operator.Answer(runevents.ActAck, to, "ann", ""), operator.Answer(runevents.ActDismiss, to, "ann", "a sample"), mute))
	s.publish(webhook[5:])
	s.publish(export)
	s.decided(2)

	m, err := decisions.ReadReport(t.Context(), s.broker, "payments-webhook")
	require.NoError(t, err)
	require.Len(t, m.Interrupts, 1)
	require.True(t, m.Interrupts[0].Dismissed)
	require.Empty(t, m.Interrupts[0].Heed, "a false positive is not judged")
	require.Equal(t, m.Budget, m.BudgetLeft)
	m, err = decisions.ReadReport(t.Context(), s.broker, "csv-export")
	require.NoError(t, err)
	require.Empty(t, m.Interrupts)
	require.NotEmpty(t, m.Suppressed)
	require.Contains(t, m.Suppressed[0].Reason, "muted by ann")
	for _, outcome := range []string{"fired", "acked", "dismissed"} {
		require.Eventually(t, func() bool {
			_, body := fetch(t, "http://"+s.HTTP()+"/metrics")
			return bytes.Contains([]byte(body), []byte(`scaffoldwatch_interrupts_total{detector="B1",outcome="`+outcome+`"} 1`))
		}, patience, 50*time.Millisecond)
	}
	status, body := fetch(t, "http://"+s.HTTP()+"/v1/fleet?since=2026-01-05&until=2026-01-05")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, `"dismiss_rate": 1`)
	for path, want := range map[string]int{"/v1/fleet?since=soon": http.StatusBadRequest, "/v1/fleet?format=sarif": http.StatusBadRequest, "/v1/fleet?format=html": http.StatusOK} {
		status, _ = fetch(t, "http://"+s.HTTP()+path)
		require.Equal(t, want, status, path)
	}
}
