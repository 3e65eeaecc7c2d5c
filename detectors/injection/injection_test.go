package injection_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/injection"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern/codepatterntest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func TestScripts(t *testing.T) {
	needTrees(t)
	detecttest.Run(t, injection.Detector)
}

// Pieces of code, cut anywhere, never make the detector panic or its output vary.
func TestRandomTurns(t *testing.T) {
	detecttest.RunRandom(t, injection.Detector, []string{
		"name = request.args[\"q\"]", "cur.execute(f\"SELECT * FROM t WHERE a = '{name}'\")", "os.system(\"ls \" + name)",
		"def f(name):", "eval(input())", "The user sends the query directly.",
	})
}

// Every rule fires and stays silent on its own examples, per language.
func TestRuleExamples(t *testing.T) {
	list := codepatterntest.Rules(t, rules.Default(), "injection")
	require.NotEmpty(t, list)
	codepatterntest.Examples(t, rules.Default(), "injection", list)
}
