package patterncontradiction

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
)

func TestPatternContradiction(t *testing.T) { detecttest.Run(t, Detector) }

func TestRandomConversations(t *testing.T) {
	detecttest.RunRandom(t, Detector, []string{
		"Fix the login. Do not add new dependencies.", "Never call fetch directly; use apiClient.", "Only change a.py.", "Keep src/b.ts unchanged.",
		"We'll use zod for validation.", "We'll use joi for validation.", "I'll use fetch directly.", "I'll create a new data access layer.",
		"import requests\nimport httpx\n", "const r = await fetch(url)", "  \"axios\": \"^1.0.0\",", "npm install lodash", "use `", "Never use \xff",
		"class A(B):\n    pass\n", "conventions:\n- id: x\n  rule: no `foo`\n",
	})
}
