package readmodel

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// A purge removes the rows of a group, and its words from the file.
func TestPurgeRemovesTheRowsOfAGroup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	m, err := Open(t.Context(), Options{Path: path})
	require.NoError(t, err)
	defer m.Close()
	at := Position{}
	sequence := uint64(0)
	apply := func(ev events.Event) {
		sequence++
		ev.Time = time.Unix(1_700_000_000, 0)
		at, err = m.Apply(t.Context(), at, []Record{{Sequence: sequence, Anchor: sequence, Event: ev}})
		require.NoError(t, err)
	}
	for _, session := range []string{"s1", "s2"} {
		for range 50 {
			apply(events.Event{Type: sessionevents.TypeSignalDetected, Subject: session, Data: &sessionevents.Signal{
				Session: session, Turn: 1, ID: session + time.Duration(sequence).String(), Layer: sessionevents.LayerSession, Detector: "A1", Class: "A", Message: "zqxmarker-" + session,
			}})
		}
	}
	require.True(t, holds(t, path, "zqxmarker-s1"))
	apply(events.Event{Type: runevents.TypeContentPurged, Subject: "s1", Data: &runevents.ContentPurged{By: "mara", Why: "asked"}})
	require.False(t, holds(t, path, "zqxmarker-s1"))
	require.True(t, holds(t, path, "zqxmarker-s2"))
	_, known, err := m.Session(t.Context(), "s1")
	require.NoError(t, err)
	require.False(t, known)
	_, known, err = m.Session(t.Context(), "s2")
	require.NoError(t, err)
	require.True(t, known)
}

// A process that is killed after the rows of a purge were removed, and before the file was
// written again without them, does so when it opens the file. Files that were put aside as
// broken are removed.
func TestAPurgeThatWasKilledIsFinishedOnOpening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m[1]*.db")
	m, err := Open(t.Context(), Options{Path: path})
	require.NoError(t, err)
	at := Position{}
	for sequence := range uint64(50) {
		at, err = m.Apply(t.Context(), at, []Record{{Sequence: sequence + 1, Anchor: sequence + 1, Event: said("s1")}})
		require.NoError(t, err)
	}
	aside := path + ".broken-20260101T000000.000"
	require.NoError(t, os.WriteFile(aside, []byte("zqxmarker-s1"), 0o600))
	tx, err := m.writer.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	b, err := m.begin(t.Context(), tx, at)
	require.NoError(t, err)
	require.NoError(t, b.take(Record{Sequence: 51, Anchor: 51, Event: events.Event{Type: runevents.TypeContentPurged, Subject: "s1", Data: &runevents.ContentPurged{}}}))
	require.NoError(t, b.end())
	require.NoError(t, tx.Commit())
	require.NoError(t, m.Close()) // here it is killed
	require.True(t, holds(t, path, "zqxmarker-s1"))
	m, err = Open(t.Context(), Options{Path: path})
	require.NoError(t, err)
	defer m.Close()
	require.False(t, holds(t, path, "zqxmarker-s1"))
	require.NoFileExists(t, aside)
}

// A reader that is in the middle of reading keeps the log of changes. The model says so and
// is finished later, rather than leave the words there in silence.
func TestAPurgeBesideAReaderIsFinished(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	m, err := Open(t.Context(), Options{Path: path})
	require.NoError(t, err)
	at, err := m.Apply(t.Context(), Position{}, []Record{{Sequence: 1, Anchor: 1, Event: said("s1")}})
	require.NoError(t, err)
	_, err = m.writer.ExecContext(t.Context(), "PRAGMA busy_timeout = 50")
	require.NoError(t, err)
	reading, err := m.reader.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = position(t.Context(), reading)
	require.NoError(t, err)
	_, err = m.Apply(t.Context(), at, []Record{{Sequence: 2, Anchor: 2, Event: events.Event{Type: runevents.TypeContentPurged, Subject: "s1", Data: &runevents.ContentPurged{}}}})
	require.ErrorContains(t, err, "a reader keeps it")
	require.NoError(t, reading.Rollback())
	require.NoError(t, m.Close())
	m, err = Open(t.Context(), Options{Path: path})
	require.NoError(t, err)
	defer m.Close()
	require.False(t, holds(t, path, "zqxmarker-s1"))
	after, err := m.Position(t.Context())
	require.NoError(t, err)
	require.Equal(t, uint64(2), after.Sequence, "the purge itself is folded")
}

// said is a signal with a word of its session.
func said(session string) events.Event {
	return events.Event{Type: sessionevents.TypeSignalDetected, Subject: session, Time: time.Unix(1_700_000_000, 0), Data: &sessionevents.Signal{
		Session: session, Turn: 1, ID: session, Layer: sessionevents.LayerSession, Detector: "A1", Class: "A", Message: "zqxmarker-" + session,
	}}
}

// holds searches the bytes of the model's files.
func holds(t *testing.T, path, text string) bool {
	t.Helper()
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		require.NoError(t, err)
		if bytes.Contains(data, []byte(text)) {
			return true
		}
	}
	return false
}
