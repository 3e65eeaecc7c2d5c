package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// programs returns the folder with scaffoldwatch, advisor and the example loop in Go, built once for all
// tests; removePrograms deletes it.
func programs(t *testing.T) string {
	t.Helper()
	folder, err := buildPrograms()
	require.NoError(t, err)
	return folder
}

var builtPrograms string

var buildPrograms = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "scaffoldwatch-e2e-")
	if err != nil {
		return "", err
	}
	builtPrograms = folder
	build := exec.Command("go", "build", "-tags", "gore2regex", "-o", folder+string(filepath.Separator), "./cmd/scaffoldwatch", "./cmd/advisor", "./examples/loop-go")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the programs: %w\n%s", err, out)
	}
	return folder, nil
})

func removePrograms() {
	if builtPrograms != "" {
		_ = os.RemoveAll(builtPrograms)
	}
}
