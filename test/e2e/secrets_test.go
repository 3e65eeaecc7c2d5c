package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// Secrets planted in 1,000 turns (300 in short) are found only in INPUT, and not even there once it is
// purged (SW-7).
func TestSecretsPersistNowhere(t *testing.T) {
	mix := workload.Mix(21, proofs.Size(6, 20), 50)
	mix.MedianBytes, mix.P90Bytes = 2000, 9000
	mix.Secret = 0.9
	work := workload.Make(mix)
	require.Greater(t, len(work.Secrets), proofs.Size(30, 100))

	var reports string
	s := start(t, func(c *config.Config) { reports = c.Reports.Directory })
	s.publish(flat(work.Sessions))
	s.decided(len(work.Sessions))
	var output bytes.Buffer
	for _, session := range work.Sessions {
		m, err := decisions.ReadReport(t.Context(), s.broker, session[0].Subject)
		require.NoError(t, err)
		require.Positive(t, m.Counts.Detected, "the session plants secrets, so there are signals")
		require.NoError(t, sessionreport.Report(m).Write(&output, "md", doc.Screen{}))
		require.NoError(t, sessionreport.Report(m).Write(&output, "json", doc.Screen{}))
	}
	require.True(t, bytes.Contains(output.Bytes(), []byte("Credential in")), "the reports speak of what was found")
	requireNone(t, work.Secrets, "output", output.Bytes())
	requireNone(t, work.Secrets, "log", s.log.Bytes())

	input, err := s.broker.JetStream().Stream(t.Context(), "INPUT")
	require.NoError(t, err)
	raw := 0
	eachFile(t, s.data, func(path string, data []byte) {
		if strings.Contains(path, string(filepath.Separator)+"INPUT"+string(filepath.Separator)) {
			raw += count(data, work.Secrets)
			return
		}
		requireNone(t, work.Secrets, path, data)
	})
	require.Positive(t, raw, "INPUT is raw; a search that finds nothing there finds nothing anywhere")
	eachFile(t, reports, func(path string, data []byte) { requireNone(t, work.Secrets, path, data) })

	require.NoError(t, input.Purge(t.Context()))
	s.end()
	eachFile(t, s.data, func(path string, data []byte) { requireNone(t, work.Secrets, path, data) })
}

func requireNone(t *testing.T, secrets []string, where string, data []byte) {
	t.Helper()
	if n := count(data, secrets); n > 0 {
		t.Errorf("%s holds %d of the planted secrets", where, n) // never the secret itself
	}
}

// count returns how many of the secrets the data holds, from one pass over it: some tests look for thousands
// in files of megabytes.
func count(data []byte, secrets []string) int {
	type head [8]byte
	byHead := map[head][]string{}
	found := map[string]bool{}
	for _, s := range secrets {
		if len(s) < len(head{}) {
			found[s] = bytes.Contains(data, []byte(s))
			continue
		}
		byHead[head([]byte(s))] = append(byHead[head([]byte(s))], s)
	}
	for i := 0; i+len(head{}) <= len(data); i++ {
		for _, s := range byHead[head(data[i:])] {
			found[s] = found[s] || bytes.HasPrefix(data[i:], []byte(s))
		}
	}
	n := 0
	for _, s := range secrets {
		if found[s] {
			n++
		}
	}
	return n
}

func eachFile(t *testing.T, folder string, look func(path string, data []byte)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		look(path, data)
		return nil
	}))
}
