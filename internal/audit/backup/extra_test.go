package backup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is beside a backup is named; what backups leave when they are interrupted is counted.
func TestExtraFilesOfABackup(t *testing.T) {
	s := recorded(t, 20)
	dir := t.TempDir()
	s.backup(dir)
	extra, err := s.opened(dir).Extra()
	require.NoError(t, err)
	require.Empty(t, extra)
	digest := strings.Repeat("ab", 32)
	for _, name := range []string{
		"lock", "BACKUP.part", "blocks/ab/" + digest + ".zst", "blocks/ab/" + digest + ".zst.part", // of our own
		"notes\x1b[1m", "old/BACKUP", "blocks/readme", "blocks/cd/" + digest + ".zst", "blocks/ab/" + digest, "blocks/ab/" + digest[:62] + ".zst",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	extra, err = s.opened(dir).Extra()
	require.NoError(t, err)
	require.Equal(t, 3, extra.Unfinished)
	require.ElementsMatch(t, []string{
		"notes", "old", "blocks/readme", "blocks/cd/" + digest + ".zst", "blocks/ab/" + digest, "blocks/ab/" + digest[:62] + ".zst",
	}, extra.Foreign)
	s.backup(dir)
	extra, err = s.opened(dir).Extra()
	require.NoError(t, err)
	require.Zero(t, extra.Unfinished, "removed by the next backup")
}
