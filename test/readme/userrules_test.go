package readme

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/rules/ruletest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Every rule that docs/user-rules.md shows holds by its own examples, and the
// mistake it shows is worded so.
func TestDocumentedUserRulesHold(t *testing.T) {
	found, err := blocks(filepath.Join("..", "..", "docs", "user-rules.md"), "yaml")
	require.NoError(t, err)
	require.Len(t, found, 3)
	for _, b := range found {
		set, err := rules.Load("house-rules.yaml", []byte(b.text))
		require.NoError(t, err)
		tests, err := ruletest.Run(set)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(tests), 2)
		for _, r := range tests {
			require.Empty(t, r.Failed, "%s: %s", r.Rule, r.Name)
		}
	}
}

// The file that docs/workspace-file.md shows is read.
func TestDocumentedWorkspaceFileIsRead(t *testing.T) {
	found, err := blocks(filepath.Join("..", "..", "docs", "workspace-file.md"), "yaml")
	require.NoError(t, err)
	require.Len(t, found, 1)
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, workspace.FileName), []byte(found[0].text), 0o600))
	file, err := workspace.Read(folder)
	require.NoError(t, err)
	require.Len(t, file.EventConventions(), 2)
	set, _, _, err := file.RuleSet()
	require.NoError(t, err)
	require.Equal(t, rules.ModeObserve, set.Mode("C1"))
}
