package readmodel

import (
	"bytes"
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

// holds searches the bytes of the model's files.
func holds(t *testing.T, path, text string) bool {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		if bytes.Contains(data, []byte(text)) {
			return true
		}
	}
	return false
}
