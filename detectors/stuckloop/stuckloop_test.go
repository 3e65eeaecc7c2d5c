package stuckloop

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect/detecttest"
)

func TestStuckLoop(t *testing.T) { detecttest.Run(t, Detector) }

func TestRandomConversations(t *testing.T) {
	detecttest.RunRandom(t, Detector, []string{"ls", "npm test", "sleep 5", "gh run view 3", "FAIL src/a.test.ts", "go on", "curl http://localhost:1/", ""})
}
