package policy

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What `make test` runs in short, CI runs in full: it sets the variable for all tests, every other verb
// with a proof is a step, and make proofs runs all packages that use test/proofs.
func TestCIRunsTheProofsInFull(t *testing.T) {
	steps, err := os.ReadFile(filepath.Join("..", "..", ".ci", "steps"))
	require.NoError(t, err)
	require.Regexp(t, `(?m)^step test env TEST_PROOFS=full make test$`, string(steps))
	for _, verb := range []string{"race-sharing", "fuzz", "chaos", "chaos-negative", "conformance", "readme", "policy"} {
		require.Regexp(t, `(?m)^step [a-z]+ make `+verb+`\b`, string(steps))
	}
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	require.NoError(t, err)
	require.Regexp(t, `(?m)^PROOFS = .*git grep .*/test/proofs`, string(makefile))
	require.Regexp(t, `(?m)^\tTEST_PROOFS=full .*\$\(PROOFS\)`, string(makefile))
}
