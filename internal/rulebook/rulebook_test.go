package rulebook

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

func rules(t *testing.T) []Rule {
	t.Helper()
	list, err := Rules()
	require.NoError(t, err)
	return list
}

// Each rule has its words, once, and a page that is there.
func TestEveryRuleHasItsWords(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules(t) {
		require.False(t, seen[r.ID], "%s stands twice", r.ID)
		seen[r.ID] = true
		require.NotEmpty(t, r.Title, r.ID)
		require.Greater(t, len(r.What), 30, r.ID)
		require.FileExists(t, filepath.Join(root, r.Page), r.ID)
		for _, c := range r.Codes {
			require.NotEmpty(t, c.Kind, "%s %s", r.ID, c.Code)
			require.NotEmpty(t, c.What, "%s %s", r.ID, c.Code)
		}
	}
}

// Whatever rule the code base cites can be looked up (SW-32).
func TestEveryRuleThatIsCitedIsInTheBook(t *testing.T) {
	cited := regexp.MustCompile(`\b(?:SW|DP|RW|WP|PL|EV)-[0-9]+a?\b`)
	list := rules(t)
	found := 0
	for _, folder := range []string{"internal/core", "internal/engine", "detectors", "docs", "test/conformance"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, ".yaml") {
				return err
			}
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, id := range cited.FindAllString(string(data), -1) {
				require.Len(t, Named(list, id), 1, "%s in %s", id, path)
				found++
			}
			return nil
		})
		require.NoError(t, err)
	}
	require.Greater(t, found, 500)
}

var (
	waveRow     = regexp.MustCompile("(?m)^\\| `([A-Z0-9-]+)` \\| (\\S+) \\|")
	pipelineRow = regexp.MustCompile("(?m)^\\| (`[^|]+`) \\| [VW] \\| ([^|]+) \\|")
	breakRow    = regexp.MustCompile("(?m)^\\| (`[^|]+`) \\| (?:hard|soft) \\|")
	quoted      = regexp.MustCompile("`([^`]+)`")
)

// The tables of the documentation and the book know the same codes.
func TestEveryDocumentedCodeIsInTheBook(t *testing.T) {
	list := rules(t)
	belongs := func(code, rule string) {
		for _, r := range Named(list, code) {
			if rule == "" || r.ID == rule {
				return
			}
		}
		require.Fail(t, "not in the book", "%s of %s", code, rule)
	}
	wave := waveRow.FindAllStringSubmatch(page(t, "wave-protocol.md"), -1)
	require.Greater(t, len(wave), 30)
	for _, row := range wave {
		belongs(row[1], row[2])
	}
	pipeline := pipelineRow.FindAllStringSubmatch(page(t, "pipeline.md"), -1)
	require.Greater(t, len(pipeline), 30)
	for _, row := range pipeline {
		for _, code := range quoted.FindAllStringSubmatch(row[1], -1) {
			for _, rule := range strings.Split(row[2], ",") {
				belongs(code[1], strings.TrimSpace(rule))
			}
		}
	}
	breaks := breakRow.FindAllStringSubmatch(page(t, "run-watch.md"), -1)
	require.Greater(t, len(breaks), 8)
	for _, row := range breaks {
		for _, code := range quoted.FindAllStringSubmatch(row[1], -1) {
			belongs(code[1], "")
		}
	}
}

func page(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "docs", name))
	require.NoError(t, err)
	return string(data)
}

func TestNamed(t *testing.T) {
	list := rules(t)
	for name, want := range map[string][]string{
		"rw-4":              {"RW-4"},
		"PL-38a":            {"PL-38a"},
		"i1":                {"I1"},
		"E5":                {"E5"},
		"saw-commit-main":   {"WP-4"},
		"agent_failures":    {"RW-30"},
		"isolation_failure": {"WP-1"},
		// A code of two rules is both.
		"MISSING_REQUIRED_ARTIFACT": {"PL-4", "PL-7"},
		"RF01":                      {"SW-20"},
		"RW-9":                      nil,
		"":                          nil,
	} {
		var got []string
		for _, r := range Named(list, name) {
			got = append(got, r.ID)
		}
		require.Equal(t, want, got, name)
	}
}

// Who asks for a code reads of it first.
func TestMarkdown(t *testing.T) {
	r := Named(rules(t), "CLAIM-DIFFERS")[0]
	text := r.Markdown("claim-differs")
	require.True(t, strings.HasPrefix(text, "# WP-1 Trip wire before any merge\n\n`CLAIM-DIFFERS` (warning): A claimed number"), text)
	require.Contains(t, text, "\n\nMore: docs/wave-protocol.md\n")
	require.NotContains(t, Named(rules(t), "RW-42")[0].Markdown("RW-42"), "## Codes")
}
