package reporter

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// A reporter that did not run during a purge builds its read model without the sessions that
// were erased. Their reports are removed all the same, in forms too that it no longer writes.
func TestReportsOfAPurgeAreRemovedWithoutTheReadModel(t *testing.T) {
	folder := t.TempDir()
	outside := filepath.Join(t.TempDir(), "kept.md")
	for _, file := range []string{"nightly.run.md", "nightly.run.md.new", "nightly-a.md", "nightly-a.html", "nightly-b.json", "weekly-a.md"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, file), nil, 0o600))
	}
	require.NoError(t, os.WriteFile(outside, nil, 0o600))
	escape, err := filepath.Rel(folder, outside[:len(outside)-len(".md")])
	require.NoError(t, err)
	model, err := readmodel.Open(t.Context(), readmodel.Options{})
	require.NoError(t, err)
	defer model.Close()
	files := reportFiles{
		source: &source{model: model}, settings: config.Reports{Directory: folder, Formats: []string{"md"}},
		log: slog.New(slog.DiscardHandler),
	}
	files.writeReports(t.Context(), []readmodel.Record{{Event: events.Event{
		Type: runevents.TypeContentPurged, Subject: "nightly", PartitionKey: "nightly",
		Data: &runevents.ContentPurged{By: "mara", Why: "asked", IDs: []string{"nightly", "nightly-a", "nightly-b", escape}},
	}}})
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(folder, "weekly-a.md")}, left)
	require.FileExists(t, outside, "an id is no path")
}
