package codepattern

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

func TestGlobs(t *testing.T) {
	g, err := compileGlobs(pattern.Checked, []string{"os.{system,popen}", "*.{execute,raw}", "{a,b}.{c,d}", "eval", "*ssh*.exec", "*cursor().execute", "x{y,{p,q}}", "*.exists?"})
	require.NoError(t, err)
	for _, name := range []string{"os.system", "OS.popen", "db.conn.Execute", ".raw", "a.d", "b.c", "eval", "my_ssh.exec", "cursor().execute", "xy", "xq", "User.exists?", "f(){}.raw"} {
		require.True(t, g.match(name), name)
	}
	for _, name := range []string{"", "system", "os.systems", "execute", "db.executed", "a.eval", "ssh.exec.x", "xp.y", "User.exists"} {
		require.False(t, g.match(name), name)
	}
	_, err = compileGlobs(pattern.Checked, []string{"{a"})
	require.Error(t, err)
}

// Written-out names match what the expression of all patterns matches.
func TestGlobsAreTheirExpression(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("aBk.*.,?$K")), 0, 5, -1)
		list := rapid.Custom(func(t *rapid.T) string {
			return "{" + strings.Join(rapid.SliceOfN(text, 1, 3).Draw(t, "items"), ",") + "}"
		})
		part := rapid.OneOf(text, list)
		patterns := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(part, 1, 5).Draw(t, "parts"), "")
		}), 1, 4).Draw(t, "patterns")
		g, err := compileGlobs(pattern.Checked, patterns)
		require.NoError(t, err)
		for _, name := range rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("abKk..?$,\nK")), 0, 6, -1), 1, 20).Draw(t, "names") {
			require.Equal(t, g.expression.MatchString(name), g.match(name), "%q %q", patterns, name)
		}
	})
}
