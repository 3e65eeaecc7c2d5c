package reporter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
)

// Who answers is known by their own key, read anew each time; a key that is weak or that others can read
// stops the service (EV-10).
func TestPeopleAreKnownByTheirKeys(t *testing.T) {
	c := config.Default()
	none, err := byPeople(c)
	require.NoError(t, err)
	require.Nil(t, none)
	require.Empty(t, none.person("x"))

	folder := t.TempDir()
	keep := func(name, key string, mode os.FileMode) {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(key), mode))
		require.NoError(t, os.Chmod(path, mode))
	}
	ann, bob := strings.Repeat("a", shortestKey), strings.Repeat("b", shortestKey)
	keep("ann", ann+"\n", 0o600)
	keep(".hidden", "x", 0o644)
	operator := filepath.Join(t.TempDir(), "operator.nk")
	c.Reports.People, c.Reports.Operator = folder, operator
	_, err = byPeople(c)
	require.ErrorContains(t, err, "reports.operator")
	require.NoError(t, os.WriteFile(operator, nil, 0o600))
	answers, err := byPeople(c)
	require.NoError(t, err)
	require.Equal(t, "ann", answers.person(ann))
	for _, key := range []string{"", bob, ann[1:], ann + "\n"} {
		require.Empty(t, answers.person(key), key)
	}
	keep("bob", bob, 0o600)
	require.Equal(t, "bob", answers.person(bob))
	require.NoError(t, os.Remove(filepath.Join(folder, "ann")))
	require.Empty(t, answers.person(ann))

	keep("bob", bob, 0o640)
	require.Empty(t, answers.person(bob))
	_, err = byPeople(c)
	require.ErrorContains(t, err, "chmod 600")
	keep("bob", "short", 0o600)
	_, err = byPeople(c)
	require.ErrorContains(t, err, "has 5 characters")
}
