package duplicatebuild

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
)

func TestDuplicateBuild(t *testing.T) { detecttest.Run(t, Detector) }

func TestRandomConversations(t *testing.T) {
	code := "def parse_date_range(text):\n    start, end = split_range(text)\n    return to_date(start), to_date(end)\n"
	detecttest.RunRandom(t, Detector, []string{
		code, "x = 1\n\n" + code, "export function parseDateRange(text) {\n  const [start, end] = splitRange(text);\n  return [toDate(start), toDate(end)];\n}\n",
		"I'll create a new parse_date_range function.", "I'll write a `parseDateRange` helper from scratch.", "There is a parse_date_range already.",
		"I'll create a new \xff", "Rewrite parse_date_range.", "class ParseDateRange:\n    def parse_date_range(self, text):\n        return 1\n",
	})
}
