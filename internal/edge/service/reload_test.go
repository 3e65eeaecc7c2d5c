package service

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
)

// SIGHUP changes the log level, says what needs a restart, and keeps what was in effect
// where the file has a mistake.
func TestReload(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	read := func() (config.Config, error) { return config.Load(config.Sources{File: file}) }
	write("log:\n  level: warn\n")
	now, err := read()
	require.NoError(t, err)
	var out bytes.Buffer
	log, adjust, err := obs.AdjustableLogger(&out, now.Log.Level, "text", "test")
	require.NoError(t, err)
	r := &reloader{log: log, now: now, read: read, adjust: adjust}
	log.Debug("not yet")
	require.Empty(t, out.String())

	write("log:\n  level: debug\nstage:\n  max_batch: 7\n")
	r.reload()
	require.Contains(t, out.String(), `"needs a restart"=[stage.max_batch]`)
	log.Debug("now it is seen")
	require.Contains(t, out.String(), "now it is seen")

	out.Reset()
	write("log:\n  level: error\nstage:\n  max_batch: 0\n")
	r.reload()
	require.Contains(t, out.String(), "the configuration was not reloaded")
	require.Contains(t, out.String(), "stage.max_batch = 0")
	log.Debug("still seen")
	require.Contains(t, out.String(), "still seen")
}

// The content of a file that a setting names needs a restart as well; a secret of it is not in the log.
func TestReloadNamesFilesThatChanged(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	named, notices := write("rules.yaml", "run: {}\n"), write("notify.yaml", "channels: []\n")
	settings := write("c.yaml", "rules: "+named+"\nnotify: {file: "+notices+"}\n")
	read := func() (config.Config, error) { return config.Load(config.Sources{File: settings}) }
	now, err := read()
	require.NoError(t, err)
	var out bytes.Buffer
	log, adjust, err := obs.AdjustableLogger(&out, "info", "text", "test")
	require.NoError(t, err)
	r := &reloader{log: log, now: now, files: stamps(now), read: read, adjust: adjust}
	r.reload()
	require.Contains(t, out.String(), `"needs a restart"=[]`)

	out.Reset()
	write("notify.yaml", "channels: [] # of a person\n")
	require.NoError(t, os.Remove(filepath.Join(folder, "rules.yaml")))
	r.reload()
	require.Contains(t, out.String(), `"needs a restart"="[notify.file rules]"`)
	require.NotContains(t, out.String(), "of a person")
}
