package unprovencompletion

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
)

func TestUnprovenCompletion(t *testing.T) { detecttest.Run(t, Detector) }

func TestRandomConversations(t *testing.T) {
	detecttest.RunRandom(t, Detector, []string{
		"go test ./...", "python a.py", "All tests pass.", "Done! The bug is fixed.", "The root cause is found it.", "ok a 0.1s", "FAIL a", "3 failed", "git commit -m 'All tests pass.'",
		"echo 'All tests passed'", "I could not run the tests.", "The failure is pre-existing.", "It is broken, it still fails.", "1. Add a test\n2. Run it",
	})
}
