package readmodel_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// asBefore9 takes from a file what schema 9 and the ones before it added, as a build of that time left it.
var asBefore9 = []string{
	"UPDATE position SET bytes = bytes - (SELECT sum(length(model) + length(act)) FROM sessions)",
	"UPDATE sessions SET bytes = bytes - length(model) - length(act)",
	"DELETE FROM prevented", "DELETE FROM refused",
	"ALTER TABLE sessions DROP COLUMN model", "ALTER TABLE sessions DROP COLUMN act",
	"ALTER TABLE signals DROP COLUMN capped",
	"ALTER TABLE position DROP COLUMN lacks", "PRAGMA user_version = 8",
}

// everything is a stream with what the later columns and tables hold.
func everything() []readmodel.Record {
	w := &writer{records: random(7, 6, 400)}
	last := w.records[len(w.records)-1]
	w.at, w.next = last.Event.Time, last.Sequence
	w.add(sessionevents.TypeSessionOpened, "new", &sessionevents.SessionOpened{
		Session: "new", Agent: &sessionevents.Agent{Kind: "codex", Model: "m-2"},
	})
	w.add(sessionevents.TypeGuardDecided, "new", &sessionevents.GuardDecided{
		Session: "new", Turn: 1, Verdict: sessionevents.HookDeny, Command: "git clean -fd", Word: "4f2",
	})
	w.add(runevents.TypeOperatorAct, "new", &runevents.OperatorAct{
		Act: runevents.ActAllow, Session: "new", Target: "4f2", By: "ann",
	})
	w.add(sessionevents.TypeInputRefused, "new", &sessionevents.InputRefused{
		Session: "new", Event: "x", EventType: sessionevents.TypeTurnRaw, Reason: "too large",
	})
	capped := sessionevents.Urgency(19)
	w.add(sessionevents.TypeSignalDetected, "new", &sessionevents.Signal{
		Session: "new", ID: "n1", Turn: 1, Detector: "A1", Class: "A", Subject: "x", ReworkCost: 3, Cap: &capped,
	})
	w.add(sessionevents.TypeTurnEvaluated, "new", &sessionevents.TurnEvaluated{
		Session: "new", Turn: 1,
		Observed: &sessionevents.Observations{FilesEdited: []string{"src/a.go"}, LinesAdded: 4},
	})
	return w.records
}

// A file from before schema 9 lacks columns, knows it, and is completed from the stream: then it is what the stream
// gives, to the byte that is accounted, with nothing lost.
func TestAnEarlierFileIsCompleted(t *testing.T) {
	records := everything()
	path := filepath.Join(t.TempDir(), "reports.db")
	m, err := readmodel.Open(t.Context(), readmodel.Options{Path: path})
	require.NoError(t, err)
	fill(t, m, records, 50)
	lacks, err := m.Lacks(t.Context())
	require.NoError(t, err)
	require.False(t, lacks, "today's build folded it")
	require.NoError(t, m.Close())
	for _, statement := range asBefore9 {
		execute(t, path, statement)
	}

	m = open(t, readmodel.Options{Path: path})
	before, err := m.Position(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, len(records), before.Sequence, "not emptied: figures by day may be older")
	lacks, err = m.Lacks(t.Context())
	require.NoError(t, err)
	require.True(t, lacks)
	tables := func() (names []string) {
		for _, d := range compared(t, records, copied(t, path), readmodel.Kept{}) {
			names = append(names, d.Table)
		}
		return names
	}
	require.Equal(t, []string{"position", "sessions", "signals", "refused", "prevented"}, tables())

	again := filepath.Join(t.TempDir(), "again.db")
	second, err := readmodel.Open(t.Context(), readmodel.Options{Path: again})
	require.NoError(t, err)
	fill(t, second, records, 11)
	require.NoError(t, second.Close())
	require.NoError(t, m.Complete(t.Context(), again))
	lacks, err = m.Lacks(t.Context())
	require.NoError(t, err)
	require.False(t, lacks)
	require.Empty(t, tables())
	prevented, err := m.Prevented(t.Context(), 9)
	require.NoError(t, err)
	require.Len(t, prevented, 1)
	require.Equal(t, "ann", prevented[0].AllowedBy)
}

// What began before the stream does keeps its row, and what was emptied lacks nothing.
func TestWhatAgedOutIsNotCompleted(t *testing.T) {
	records := everything()
	path := filepath.Join(t.TempDir(), "reports.db")
	m := open(t, readmodel.Options{Path: path})
	fill(t, m, records, 50)
	execute(t, path, "UPDATE position SET lacks = 1")
	before, err := m.CountSessions(t.Context())
	require.NoError(t, err)

	again := filepath.Join(t.TempDir(), "again.db")
	second, err := readmodel.Open(t.Context(), readmodel.Options{Path: again})
	require.NoError(t, err)
	fill(t, second, records[200:], 11)
	require.NoError(t, second.Close())
	require.NoError(t, m.Complete(t.Context(), again))
	after, err := m.CountSessions(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.Empty(t, compared(t, records, copied(t, path), readmodel.Kept{}), "such rows are as they were")

	execute(t, path, "UPDATE position SET lacks = 1")
	require.NoError(t, m.Reset(t.Context(), "DECISIONS"))
	lacks, err := m.Lacks(t.Context())
	require.NoError(t, err)
	require.False(t, lacks)
}

// copied returns a copy of a model's file.
func copied(t *testing.T, path string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy.db")
	require.NoError(t, readmodel.Copy(t.Context(), path, to))
	return to
}
