package stuckloop

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
)

// words are the message and the reason of a signal.
func (g *growth) words() (message, reason string) {
	subject, n, since := g.streak.Subject, g.streak.Length, g.streak.First
	switch g.kind {
	case kindError:
		return fmt.Sprintf("%s came %d times since turn %d (last: %s) with nothing changed in between; fix that cause before the next try.", quote.Text(shortError(g.error)), n, since, quote.Code(briefer(subject))),
			fmt.Sprintf("The same error came back %d times since turn %d without an edit in between.", n, since)
	case kindTransient:
		return fmt.Sprintf("%d calls since turn %d failed with errors such as %s; stop retrying and tell the user what is out of reach.", n, since, quote.Text(shortError(g.error))),
			fmt.Sprintf("Transient errors came %d times since turn %d.", n, since)
	case kindCycle:
		return fmt.Sprintf("%s: these calls take turns with unchanged results since turn %d (%d calls); stop repeating them and act on what they showed.", quote.Code(subject), since, n),
			fmt.Sprintf("Calls repeat in a cycle with unchanged results, %d of them since turn %d.", n, since)
	case kindVarying:
		return fmt.Sprintf("%d variants of %s since turn %d gave the same output; the arguments make no difference, so try another approach.", n, quote.Code(subject), since),
			fmt.Sprintf("%d calls with varying arguments gave the same output since turn %d.", n, since)
	case kindPolling:
		return fmt.Sprintf("%s has shown the same state %d times since turn %d; find out whether that job still makes progress.", quote.Code(subject), n, since),
			fmt.Sprintf("The state asked for stayed identical %d times.", n)
	case kindFailing:
		return fmt.Sprintf("%s still fails after %d edits and %d runs since turn %d; find the cause with a smaller reproduction before editing again.", quote.Text(shortError(subject)), g.edits, n, since),
			fmt.Sprintf("The same failure stands after %d effective edits since turn %d.", g.edits, since)
	case kindCompaction:
		return fmt.Sprintf("The context was compacted in %d turns in a row and nothing was done between; write down the open step and do only that.", n),
			fmt.Sprintf("%d turns in a row did nothing but compact the context.", n)
	}
	return fmt.Sprintf("%s gave the same result %d times in a row since turn %d with no edit in between; use that result and take the next step.", quote.Code(subject), n, since),
		fmt.Sprintf("The same call with the same result stands %d times in a row since turn %d.", n, since)
}

const (
	errorWords   = 10
	shorterWords = 5
)

func shortError(text string) string { return cutWords(brief(text), errorWords) }

func briefer(text string) string { return cutWords(text, shorterWords) }
