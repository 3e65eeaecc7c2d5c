package bundle_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// What was checked is what is used: another file under the name of a bundle has no effect, and
// a file that is overwritten is a fault.
func TestABundleThatIsSwappedAfterTheCheck(t *testing.T) {
	key, _ := newKey(t)
	all := export(t, record(t, key, "", "s1", "s2"), bundle.Selection{}, true)
	other := export(t, record(t, key, "other", "s1", "s2"), bundle.Selection{}, true)
	path := filepath.Join(t.TempDir(), "b")
	require.NoError(t, os.WriteFile(path, all, 0o600))
	b, err := bundle.OpenWhole(path)
	require.NoError(t, err)
	defer b.Close()
	read := func() (texts []string, err error) {
		err = b.Each(t.Context(), events.StreamDecisions, math.MaxUint64, func(m proof.Message) error {
			texts = append(texts, string(m.Data))
			return nil
		})
		return texts, err
	}
	want, err := read()
	require.NoError(t, err)

	swap := filepath.Join(filepath.Dir(path), "swap")
	require.NoError(t, os.WriteFile(swap, other, 0o600))
	require.NoError(t, os.Rename(path, path+".kept"))
	require.NoError(t, os.Rename(swap, path))
	got, err := read()
	require.NoError(t, err)
	require.Equal(t, want, got)

	require.NoError(t, os.WriteFile(path+".kept", other, 0o600))
	_, err = read()
	var fault *bundle.Fault
	require.ErrorAs(t, err, &fault)
	require.Contains(t, fault.What, "the manifest says")
}
