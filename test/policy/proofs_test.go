package policy

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// CI runs make test and every other verb with a proof as a step of its own; make proofs runs in full all
// packages that use test/proofs.
func TestCIRunsEveryProof(t *testing.T) {
	steps, err := os.ReadFile(filepath.Join("..", "..", ".ci", "steps"))
	require.NoError(t, err)
	require.Regexp(t, `(?m)^step test make test$`, string(steps))
	for _, verb := range []string{"race-sharing", "fuzz", "chaos", "chaos-negative", "conformance", "readme", "policy"} {
		require.Regexp(t, `(?m)^step [a-z]+ make `+verb+`\b`, string(steps))
	}
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	require.NoError(t, err)
	require.Regexp(t, `(?m)^PROOFS = .*git grep .*/test/proofs`, string(makefile))
	require.Regexp(t, `(?m)^\tTEST_PROOFS=full .*\$\(PROOFS\)`, string(makefile))
}
