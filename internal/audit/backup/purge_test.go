package backup_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/erase"
)

// After a session is erased, the next backup of the same directory has none of it left, in
// whatever file.
func TestAPurgedSessionIsInNoLaterBackup(t *testing.T) {
	s := recorded(t, 70)
	dir := t.TempDir()
	s.backup(dir)
	require.True(t, holds(t, dir, "s3"), "the earlier backup holds it")
	found, err := erase.Find(t.Context(), s.broker, "s3", "")
	require.NoError(t, err)
	require.NotEmpty(t, found)
	require.NoError(t, erase.Remove(t.Context(), s.broker, found, func() {}))
	written, err := backup.Write(t.Context(), s.broker, dir, s.options())
	require.NoError(t, err)
	require.Positive(t, written.Removed, "files that hold it are removed")
	require.False(t, holds(t, dir, "s3"))
	require.True(t, holds(t, dir, "s4"), "the others are still there")
}

// holds searches every file for the turns of a session, which this test words "text tN" with N
// of the session.
func holds(t *testing.T, dir, session string) bool {
	t.Helper()
	for name := range files(t, dir) {
		if !strings.HasSuffix(name, ".zst") {
			continue
		}
		text := []byte(unpacked(t, name))
		for n := 1; n <= 70; n++ {
			if fmt.Sprintf("s%d", n%7) == session && bytes.Contains(text, []byte(fmt.Sprintf("text t%d\"", n))) {
				return true
			}
		}
	}
	return false
}
