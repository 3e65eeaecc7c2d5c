package policy

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxScenarioLine is how long a line of a scenario may be: a person reads it from
// top to bottom.
const maxScenarioLine = 300

func TestScenariosAreReadable(t *testing.T) {
	seen := 0
	for _, pattern := range []string{"test/conformance/testdata/*.txt", "detectors/*/testdata/*.txt", "internal/session/*/testdata/*.txt"} {
		paths, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		require.NoError(t, err)
		for _, path := range paths {
			seen++
			file, err := os.Open(path)
			require.NoError(t, err)
			lines := bufio.NewScanner(file)
			lines.Buffer(nil, 1<<20)
			for n := 1; lines.Scan(); n++ {
				if len(lines.Text()) > maxScenarioLine {
					t.Errorf("%s:%d: %d characters; write the payload as indented YAML, name a repeated one with `let`, or break the line with a backslash", strings.TrimPrefix(path, "../../"), n, len(lines.Text()))
				}
			}
			require.NoError(t, lines.Err())
			file.Close()
		}
	}
	require.Greater(t, seen, 300)
}
