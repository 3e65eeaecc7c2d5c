package detect

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// MessageWords is the maximum number of words of a message (JD-40).
const MessageWords = 40

// quotation matches a quote in a message, recommended a command that it asks to run.
var (
	quotation   = pattern.Must("\"[^\"]*\"|`[^`]*`")
	recommended = pattern.Must("(?i)\\b(?:run|send|use) `[^`]*`")
	spokenAbout = pattern.Must(`(?i)\bthe (?:primary|agent|assistant|model)\b`)
)

// Faults returns what is wrong with a message to an agent: it must have at most 40 words,
// quote at most one thing, in full, besides the command that it recommends, and address
// its reader (JD-40, JD-41).
func Faults(message string) []string {
	var out []string
	if len(strings.Fields(message)) > MessageWords {
		out = append(out, "more than 40 words")
	}
	said := recommended.ReplaceAllString(message, "")
	if len(quotation.FindAllString(said, -1)) > 1 {
		out = append(out, "more than one quotation")
	}
	for _, q := range quotation.FindAllString(message, -1) {
		if strings.Contains(q, "…") {
			out = append(out, "a quotation that is cut: "+q)
		}
	}
	if spokenAbout.MatchString(said) {
		out = append(out, "its reader is spoken about")
	}
	return out
}
