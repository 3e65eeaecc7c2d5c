package injection_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern/codepatterntest"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Handlers as coding assistants write them in assistants/*.txt, each weak one followed by its sound
// twin. They were written before the rules were tried on them.
func TestAssistantPrograms(t *testing.T) {
	needTrees(t)
	engine, err := codepattern.New(rules.Default(), "injection", codepatterntest.Rules(t, rules.Default(), "injection"))
	require.NoError(t, err)
	files, err := filepath.Glob("assistants/*.txt")
	require.NoError(t, err)
	require.Len(t, files, 4)
	for _, file := range files {
		language := strings.TrimSuffix(filepath.Base(file), ".txt")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, program := range strings.Split(string(text), "\n====\n") {
			t.Run(language+strconv.Itoa(i+1), func(t *testing.T) { judge(t, engine, language, program) })
		}
	}
}
