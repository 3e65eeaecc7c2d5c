package patterncontradiction

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func BenchmarkRulesIn(b *testing.B) {
	d, err := compile(rules.Default())
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{
		"plain": "Fix the login page so that it shows the error below the field. The test in tests/login.py fails since yesterday when the user has no password.",
		"rule":  "Fix the rounding in src/money.py. Please do not add new dependencies and never call fetch directly; use apiClient. Only change src/money.py.",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				d.rulesIn(text, &rule{origin: fromUser})
			}
		})
	}
}
