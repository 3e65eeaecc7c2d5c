package leftbehind

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
)

func TestLeftBehind(t *testing.T) { detecttest.Run(t, Detector) }

func TestRandomConversations(t *testing.T) {
	detecttest.RunRandom(t, Detector, []string{
		"npm run dev &", "kill %1", "docker run -d --name db postgres", "docker rm -f db", "while true; do python a.py; done", "for i in {1..100}; do ./a & done",
		"All done, everything works.", "Clean up after yourself.", "console.log('DEBUG here')", "stress --cpu 8", "rm -rf /tmp/x", "crontab jobs.txt",
	})
}
