package featurecreep

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
)

func TestFeatureCreep(t *testing.T) { detecttest.Run(t, Detector) }

func TestRandomConversations(t *testing.T) {
	detecttest.RunRandom(t, Detector, []string{
		"Fix the login.", "I'll also add a dark mode.", "Let me also add a PDF export and a leaderboard page.", "Yes", "Skip the dark mode.",
		"@app.route(\"/admin\")", "parser.add_argument(\"--fast\")", "  \"left-pad\": \"^1.3.0\",", "I'll also add ", "I'll also add \u2019\xff",
		"I'll also add a very very very long and wide and high and deep and broad settings dashboard page widget thing",
	})
}
