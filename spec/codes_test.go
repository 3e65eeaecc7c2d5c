package spec

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// codeLike is the shape of a code of a violation or warning. Rule ids and states of
// the wave machine have it too.
var (
	codeLike = regexp.MustCompile(`^[A-Z][A-Z0-9]*([-_][A-Z0-9]+)+$`)
	states   = []string{"SCOUT_PENDING", "NOT_SUITABLE", "SCAFFOLD_PENDING", "SCAFFOLD_FAILED", "WAVE_PENDING", "WAVE_EXECUTING", "WAVE_MERGING", "WAVE_VERIFIED", "SAW_ALLOW_MAIN_COMMIT"}
)

// Every code that the rules about runs emit is in the specification, and the
// specification has no other.
func TestCodesAreThoseOfTheCode(t *testing.T) {
	emitted := codes(t, codeLike)
	var specified []string
	for _, r := range Rules() {
		for _, c := range r.Codes {
			if c.Severity == Violation || c.Severity == Warning {
				specified = append(specified, c.Code)
			}
		}
	}
	slices.Sort(specified)
	specified = slices.Compact(specified)
	for _, code := range emitted {
		if _, isRule := Find(code); !isRule && !slices.Contains(states, code) {
			require.Contains(t, specified, code, "add it to its rule in spec/*.yaml")
		}
	}
	words := codes(t, regexp.MustCompile(`^[A-Z0-9_-]+$`)) // STARVATION has no hyphen
	for _, code := range specified {
		require.Contains(t, words, code, "spec/*.yaml has a code that nothing emits")
	}
	require.Greater(t, len(specified), 100)
}

// Every trigger of a break is in the specification, with the severity that the
// rules give it.
func TestTriggersAreThoseOfTheEvents(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(root, "rules", "run.yaml"))
	require.NoError(t, err)
	kinds := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^  (\w+):(?: \{kind: (\w+)|\n    kind: (\w+))`).FindAllStringSubmatch(string(source), -1) {
		kinds[m[1]] = m[2] + m[3]
	}
	require.Greater(t, len(kinds), 15)
	for trigger, kind := range kinds {
		owners := CodedBy(trigger)
		require.NotEmpty(t, owners, "add the trigger %s to its rule in spec/*.yaml", trigger)
		require.Equal(t, kind+" break", string(owners[0].Code(trigger).Severity), trigger)
	}
	for _, r := range Rules() {
		for _, c := range r.Codes {
			if c.Severity == HardBreak || c.Severity == SoftBreak {
				require.NotEmpty(t, kinds[c.Code], "%s: nothing breaks a run with %s", r.ID, c.Code)
			}
		}
	}
}

// codes are the literals of the rules about runs, and of the events that carry them.
func codes(t *testing.T, like *regexp.Regexp) []string {
	t.Helper()
	return append(literals(t, filepath.Join(root, "internal", "run"), like), literals(t, filepath.Join(root, "pkg", "events", "run"), like)...)
}

// literals returns the string literals below a folder, tests aside, that match.
func literals(t *testing.T, folder string, like *regexp.Regexp) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if text, err := strconv.Unquote(l.Value); err == nil && like.MatchString(text) {
					out = append(out, text)
				}
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	slices.Sort(out)
	return slices.Compact(out)
}
