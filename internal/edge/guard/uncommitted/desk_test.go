package uncommitted

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A session's first call can come before Git said what was changed when it began: it waits for that, or a
// person's work would be that of an unknown author.
func TestTheFirstCallWaitsForTheFirstLook(t *testing.T) {
	dir := t.TempDir()
	out, err := exec.Command("git", "init", "-q", dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "thesis.md"), []byte("chapter one\n"), 0o600))
	d := New()
	d.Patience = time.Minute // a busy machine
	for i := range 10 {
		id := fmt.Sprint("s", i)
		d.Seen(id, dir, Beginning)
		facts := d.Facts(id, dir, func(string) bool { return false })
		work := facts.Work(dir)
		facts.Close()
		require.Len(t, work.Files, 1)
		require.True(t, work.Files[0].Before, "it was there before the session")
	}
	d.Wait()
}
