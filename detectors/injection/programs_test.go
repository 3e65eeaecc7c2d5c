package injection_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern/codepatterntest"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

var judged = regexp.MustCompile(`^>> (?:weak (\d+)|sound)\n`)

// Small web programs in programs/*.txt, each weakness beside its cure. Most were written before a rule
// was changed for them: the weak ones are found under their CWE number, in the sound ones nothing is.
func TestPrograms(t *testing.T) {
	needTrees(t)
	list := codepatterntest.Rules(t, rules.Default(), "injection")
	engine, err := codepattern.New(rules.Default(), "injection", list)
	require.NoError(t, err)
	files, err := filepath.Glob("programs/*.txt")
	require.NoError(t, err)
	require.Len(t, files, 6)
	for _, file := range files {
		language := strings.TrimSuffix(filepath.Base(file), ".txt")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, program := range strings.Split(string(text), "\n====\n") {
			t.Run(language+strconv.Itoa(i+1), func(t *testing.T) { judge(t, engine, language, program) })
		}
	}
}

func judge(t *testing.T, engine *codepattern.Engine, language, program string) {
	want := judged.FindStringSubmatch(program)
	require.NotNil(t, want, "a program begins with >> weak CWE, or >> sound")
	code := strings.TrimPrefix(program, want[0])
	found := map[string]float64{}
	for _, m := range engine.Code(language, code) {
		cwe := strconv.Itoa(m.Rule.CWE)
		found[cwe] = max(found[cwe], m.Confidence)
	}
	if want[1] == "" {
		require.Empty(t, found, code)
		return
	}
	require.Contains(t, found, want[1], "%v\n%s", found, code)
}
