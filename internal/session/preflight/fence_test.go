package preflight_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
)

// The fence around the operator's key, the watch and its hooks (RW-34): reading by any tool that names or
// covers the folder is denied, and what only looks like it is not.
func TestTheFence(t *testing.T) {
	data, err := os.ReadFile("testdata/fence.tsv")
	require.NoError(t, err)
	c, counts := checker(t, ""), map[string]int{}
	for n, line := range strings.Split(string(data), "\n") {
		want, text, is := strings.Cut(line, "\t")
		if !is || strings.HasPrefix(line, "#") {
			continue
		}
		tool, input := "Bash", ""
		if named, is := strings.CutPrefix(text, "@"); is {
			tool, input, _ = strings.Cut(named, "\t")
		} else {
			raw, err := json.Marshal(map[string]string{"command": strings.ReplaceAll(text, "⏎", "\n")})
			require.NoError(t, err)
			input = string(raw)
		}
		answer := c.Check(preflight.Call{
			Session: "s", Name: tool, Input: json.RawMessage(input), Directory: "/home/ann/src", Workspace: "/home/ann/src", Watch: preflight.Watch{Process: 4711},
		})
		got := "allow"
		if answer.Rule == preflight.RuleSelfRelease {
			got = string(answer.Decision)
		}
		counts[want]++
		assert.Equal(t, want, got, "line %d: %s", n+1, text)
	}
	require.GreaterOrEqual(t, counts["deny"], 190)
	require.GreaterOrEqual(t, counts["allow"], 190)
}

// The program that hooks call is beside the running one, wherever that is; what an agent builds in its
// workspace is its own.
func TestTheProgramBesideTheSystemIsFenced(t *testing.T) {
	c := checker(t, "")
	rule := func(folder, command string) string {
		raw, err := json.Marshal(map[string]string{"command": command})
		require.NoError(t, err)
		return c.Check(preflight.Call{
			Session: "s", Name: "Bash", Input: raw, Directory: "/home/ann/src", Workspace: "/home/ann/src",
			Watch: preflight.Watch{Folder: folder},
		}).Rule
	}
	require.Equal(t, preflight.RuleSelfRelease, rule("/srv/tools", "rm /srv/tools/scaffoldwatch-hook"))
	require.Equal(t, preflight.RuleSelfRelease, rule("/srv/tools", "mv /srv/tools /srv/old"))
	require.NotEqual(t, preflight.RuleSelfRelease, rule("/srv/tools", "rm /srv/tools/other"))
	require.NotEqual(t, preflight.RuleSelfRelease, rule("/srv/other", "rm /srv/tools/scaffoldwatch-hook"))
	require.NotEqual(t, preflight.RuleSelfRelease, rule("/home/ann/src/bin", "rm bin/scaffoldwatch-hook"))
}
