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

// Pieces of code of several frameworks: nothing is found in corpus/sound_*.txt; in
// corpus/weak_*.txt each piece begins with the rule that must find it and its
// confidence.
func TestCorpus(t *testing.T) {
	needTrees(t)
	list := codepatterntest.Rules(t, rules.Default(), "injection")
	engine, err := codepattern.New(rules.Default(), "injection", list)
	require.NoError(t, err)
	files, err := filepath.Glob("corpus/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { corpus(t, engine, file) })
	}
}

var expected = regexp.MustCompile(`^>> ([\w-]+) ([\d.]+)\n`)

func corpus(t *testing.T, engine *codepattern.Engine, file string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	kind, language, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txt"), "_")
	pieces := strings.Split(string(text), "\n====\n")
	require.Greater(t, len(pieces), 10)
	for _, code := range pieces {
		want := expected.FindStringSubmatch(code)
		require.Equal(t, kind == "weak", want != nil, code)
		found := map[string]float64{}
		for _, m := range engine.Code(language, strings.TrimPrefix(code, strings.Join(want[:min(1, len(want))], ""))) {
			found[m.Rule.ID] = max(found[m.Rule.ID], m.Confidence)
		}
		if want == nil {
			require.Empty(t, found, code)
			continue
		}
		confidence, err := strconv.ParseFloat(want[2], 64)
		require.NoError(t, err)
		require.InDelta(t, confidence, found[want[1]], 0.001, "%v\n%s", found, code)
	}
}
