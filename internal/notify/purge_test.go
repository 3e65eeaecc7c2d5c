package notify_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// What waits about a run that an operator erased is in no file of the outbox any more, nor in
// one that was put aside as broken or left by a writer that was killed. What waits about others
// still waits (AU-40).
func TestAPurgeRemovesWhatWaits(t *testing.T) {
	refusing := newServer(t)
	refusing.answer = func(w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusServiceUnavailable) }
	folder := t.TempDir()
	path := filepath.Join(folder, "notify.json")
	for _, end := range []string{".broken", ".new"} {
		require.NoError(t, os.WriteFile(path+end, []byte(`{"quotes":"run0"`), 0o600))
	}
	file := parse(t, strings.Replace(hooks, "longest: 2ms", "longest: 1h", 1))
	start := func(records []notify.Record, enough func() bool) {
		service, err := newService(file, words(t), path, map[string]string{"URL": refusing.URL, "HOOK": hook})
		require.NoError(t, err)
		run(t, service, records, func(context.Context, events.Event) error { return nil }, enough)
	}
	quotes := func(run string) (files int) {
		names, err := filepath.Glob(path + "*")
		require.NoError(t, err)
		for _, name := range names {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			files += min(1, strings.Count(string(data), run))
		}
		return files
	}
	records := ended(2)
	start(records, func() bool { return len(refusing.got()) >= 2 })
	require.Equal(t, 2, quotes("run0"), "in the outbox and in the broken one; the control")
	records = append(records, notify.Record{Sequence: 3, Anchor: 3, Event: events.Event{
		ID: "tombstone", Type: runevents.TypeContentPurged, Subject: "run0", Time: time.Now(), Data: &runevents.ContentPurged{By: "mara", Why: "request 4711"},
	}})
	start(records, func() bool {
		outbox, err := notify.ReadOutbox(path)
		return err == nil && outbox.Position.Sequence == 3
	})
	require.Zero(t, quotes("run0"))
	require.Equal(t, 1, quotes("run1"), "it still waits")
}
