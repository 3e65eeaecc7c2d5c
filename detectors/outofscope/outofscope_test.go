package outofscope

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
)

func TestOutOfScope(t *testing.T) { detecttest.Run(t, Detector) }

func TestRandomConversations(t *testing.T) {
	detecttest.RunRandom(t, Detector, []string{
		"The login session must expire idle accounts after thirty minutes.", "While I'm here, I'll clean up the invoice templates.",
		"I'll also refactor the tax tables.", "git mv billing/tax.py billing/vat.py", "a.py:3: error: rows", "total = rows",
	})
}
