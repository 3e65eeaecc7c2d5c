package detect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFaultsOfMessages(t *testing.T) {
	require.Empty(t, Faults("\"All tests pass.\": the test run of turn 2 failed. Fix it and run `go test ./...`."))
	require.Len(t, Faults(strings.Repeat("word ", 41)), 1)
	require.Len(t, Faults(`"a b" stands against "c d". Keep one.`), 1)
	require.Len(t, Faults("\"The failing tests are…\" is not shown."), 1)
	require.Len(t, Faults("run `go test ./… and"), 0)
	require.Len(t, Faults("Run `go test ./…` now."), 1)
	require.Len(t, Faults("This is new, and the primary does not mention it."), 1)
}
