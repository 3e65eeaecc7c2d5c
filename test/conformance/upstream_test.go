package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/spec"
)

// Each upstream rule is listed once, with rules of ours that exist and are shown, or with the reason why it is
// not watched; each rule of ours is there, or is listed as one that no upstream asks for; and no rule that
// Scout-and-Wave numbers is left out.
func TestUpstreamRulesAreComplete(t *testing.T) {
	u, err := readUpstreams()
	require.NoError(t, err)
	files, err := covered()
	require.NoError(t, err)
	ours := map[string]bool{}
	for _, id := range ourRules() {
		ours[id] = false
	}
	tests, listed := goTests(t), map[string]bool{}
	for i := range u.Systems {
		s := &u.Systems[i]
		require.NotEmpty(t, s.Rules, s.Name)
		for _, r := range s.Rules {
			key := s.ID + " " + r.Rule
			require.False(t, listed[key], "%s is listed twice", key)
			listed[key] = true
			require.NotContains(t, r.Rule+r.Differs+r.Not, "|", "%s breaks the table", key)
			if r.Not != "" {
				require.Empty(t, r.Ours, "%s is watched and is not", key)
				require.Empty(t, r.Differs, key)
				continue
			}
			require.NotEmpty(t, len(r.Ours)+len(r.Tests), "%s says neither what watches it nor why nothing does", key)
			require.NotEmpty(t, r.shown(files), "nothing shows %s", key)
			for _, id := range r.Ours {
				_, known := ours[id]
				require.True(t, known, "%s names %s, which is no rule of ours", key, id)
				ours[id] = true
			}
			for _, name := range r.Tests {
				require.True(t, tests[name], "%s names %s, which is not a test", key, name)
			}
		}
	}
	for id, asked := range ours {
		require.True(t, asked != u.isOwn(id), "%s: upstream asks for it: %v; listed as our own: %v", id, asked, u.isOwn(id))
	}
	for _, r := range spec.Rules() {
		if r.Kind != spec.KindRule {
			require.True(t, listed["scout-and-wave "+r.ID], "%s is not listed", r.ID)
		}
	}
}

// What watches a rule that Scout-and-Wave numbers is what reports that it was broken.
func TestUpstreamRulesAreReported(t *testing.T) {
	u, err := readUpstreams()
	require.NoError(t, err)
	reported := 0
	for i := range u.Systems {
		for _, r := range u.Systems[i].Rules {
			for _, code := range r.codes() {
				reported++
				require.Empty(t, r.Not, "%s is reported by %s", r.Rule, code)
			}
		}
	}
	require.Greater(t, reported, 40)
}

// The tables of docs/orchestrators.md are those of upstream.yaml.
func TestOrchestratorTablesAreFresh(t *testing.T) {
	u, err := readUpstreams()
	require.NoError(t, err)
	files, err := covered()
	require.NoError(t, err)
	path := filepath.Join(root, "docs", "orchestrators.md")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	want := string(data)
	for i := range u.Systems {
		s := &u.Systems[i]
		begin, end := fmt.Sprintf("<!-- rules of %s, from test/conformance/upstream.yaml -->\n", s.ID), "\n<!-- end -->"
		before, rest, found := strings.Cut(want, begin)
		require.True(t, found, "docs/orchestrators.md has no table for %s", s.Name)
		_, after, found := strings.Cut(rest, end)
		require.True(t, found, s.Name)
		want = before + begin + "\n" + s.table(files) + end + after
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(data), "docs/orchestrators.md is stale: go test ./test/conformance -update")
}

// goTests returns the names of all tests of the tree.
func goTests(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	require.NoError(t, filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(data, -1) {
			known[string(m[1])] = true
		}
		return err
	}))
	return known
}
