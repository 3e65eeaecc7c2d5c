package spec

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
)

// root is the repository's, seen from this package.
const root = ".."

// Every rule has a unique id, a title, a text of its own and codes with a meaning.
func TestRulesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		require.False(t, seen[r.ID], "%s is listed twice", r.ID)
		seen[r.ID] = true
		require.NotEmpty(t, r.Title, r.ID)
		require.Greater(t, len(r.Text), 30, r.ID)
		require.True(t, strings.HasSuffix(r.Text, "."), "%s: a text ends with a full stop", r.ID)
		require.Contains(t, []Kind{KindRule, KindInvariant, KindExecution}, r.Kind, r.ID)
		if r.More != "" {
			require.FileExists(t, filepath.Join(root, r.More), r.ID)
		}
		sorted := slices.Clone(r.Cases)
		slices.Sort(sorted)
		require.Equal(t, len(slices.Compact(sorted)), len(r.Cases), "%s lists a case twice", r.ID)
		checkCodes(t, &r)
	}
}

func checkCodes(t *testing.T, r *Rule) {
	t.Helper()
	for _, c := range r.Codes {
		require.NotEmpty(t, c.Text, "%s %s", r.ID, c.Code)
		require.Contains(t, []Severity{Violation, Warning, HardBreak, SoftBreak, RedFlag}, c.Severity, "%s %s", r.ID, c.Code)
		for _, id := range c.Touches {
			touched, ok := Find(id)
			require.True(t, ok && touched.Kind != KindRule, "%s touches %s, which is neither an invariant nor an execution rule", c.Code, id)
		}
		// A code of several rules means the same kind of thing in all of them.
		for _, other := range CodedBy(c.Code) {
			require.Equal(t, c.Severity, other.Code(c.Code).Severity, c.Code)
		}
	}
}

// Rule ids that code, tests and pages cite can be looked up.
func TestCitedRulesExist(t *testing.T) {
	cited := regexp.MustCompile(`\b(?:SW|DP|RW|WP|PL|EV|PD|AU)-[0-9]+a?\b`)
	found := 0
	for _, folder := range []string{"internal", "detectors", "rules", "pkg", "cmd", "docs", "test", "spec"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !slices.Contains([]string{".go", ".md", ".yaml"}, filepath.Ext(path)) {
				return err
			}
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, id := range cited.FindAllString(string(data), -1) {
				if unknown[id] {
					continue
				}
				_, ok := Find(id)
				require.True(t, ok, "%s cites %s, which no file of spec/ has", path, id)
				found++
			}
			return nil
		})
		require.NoError(t, err)
	}
	require.Greater(t, found, 1500)
}

// unknown are ids that tests use because no rule has them.
var unknown = map[string]bool{"RW-9": true, "RW-99": true, "WP-60": true}

func TestNamed(t *testing.T) {
	for name, want := range map[string][]string{
		"rw-4":              {"RW-4"},
		"PL-38a":            {"PL-38a"},
		"i1":                {"I1"},
		"E5":                {"E5"},
		"saw-commit-main":   {"WP-4"},
		"isolation_failure": {"WP-1"},
		// A code of two rules means both.
		"agent_failures":            {"RW-30", "RW-35"},
		"MISSING_REQUIRED_ARTIFACT": {"PL-4", "PL-7"},
		"RF01":                      {"SW-20"},
		"RW-9":                      nil,
		"":                          nil,
	} {
		var got []string
		for _, r := range Named(name) {
			got = append(got, r.ID)
		}
		require.Equal(t, want, got, name)
	}
}

func TestExplain(t *testing.T) {
	r := Named("CLAIM-DIFFERS")[0]
	text := r.Explain("claim-differs")
	require.True(t, strings.HasPrefix(text, "# WP-1 The trip wire before a merge\n\n`CLAIM-DIFFERS` (warning): A claimed number"), text)
	require.Contains(t, text, "\n- `merge`: deny\n")
	require.Contains(t, text, "\nMore: docs/rules/wave.md\n")

	r, _ = Find("E8")
	require.Contains(t, r.Explain("E8"), "Execution rule of Scout-and-Wave. ")
	require.Contains(t, r.Explain("E8"), "Touched by: `AGENT-BLOCKED`.")

	later := r
	later.Planned = true
	require.Contains(t, later.Explain("E8"), "Planned; not built yet.")
	require.NotContains(t, r.Explain("E8"), "Planned")
}

// Settings are keys of rules/*.yaml or of the configuration.
func TestSettingsExist(t *testing.T) {
	found := 0
	for _, r := range Rules() {
		for _, key := range r.Settings {
			found++
			if slices.Contains(config.Keys(), key) {
				continue
			}
			section, rest, _ := strings.Cut(key, ".")
			data, err := os.ReadFile(filepath.Join(root, "rules", section+".yaml"))
			require.NoError(t, err, "%s: %s is neither a setting nor a section of the rules", r.ID, key)
			var value any
			require.NoError(t, yaml.Unmarshal(data, &value))
			for name := range strings.SplitSeq(rest, ".") {
				if name == "" {
					continue
				}
				fields, ok := value.(map[string]any)
				require.True(t, ok && fields[name] != nil, "%s: rules/%s.yaml has no %s", r.ID, section, rest)
				value = fields[name]
			}
		}
	}
	require.Greater(t, found, 80)
}

// The tests that rules name exist.
func TestNamedTestsExist(t *testing.T) {
	known := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(data, -1) {
			known[string(m[1])] = true
		}
		return err
	})
	require.NoError(t, err)
	for _, r := range Rules() {
		for _, name := range r.Tests {
			require.True(t, known[name], "%s names %s, which is not a test", r.ID, name)
		}
		require.False(t, len(r.Tests) > 0 && len(r.Cases) > 0, "%s: cases are for rules that scenarios show", r.ID)
	}
}
