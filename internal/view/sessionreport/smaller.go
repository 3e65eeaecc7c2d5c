package sessionreport

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxSmaller is how many findings that were not said are listed.
const maxSmaller = 6

// claimsDetector finds claims without proof, which the report lists separately.
const claimsDetector = "E1"

// smaller lists findings that were not delivered, the most urgent first, each once.
func smaller(m Model) (list []string) {
	var all []Finding
	known := map[string]bool{}
	for _, group := range [][]Finding{m.NotSent, m.Pending, m.Logged, m.Suppressed} {
		for _, f := range group {
			muted := f.Code == string(sessionevents.CodeMuted) // a person does not want to hear it (CO-7)
			if text := described(f); !muted && !known[text] && (f.Detector != claimsDetector || m.Done == nil) {
				known[text] = true
				all = append(all, f)
			}
		}
	}
	slices.SortStableFunc(
		all,
		func(a, b Finding) int { return cmp.Or(cmp.Compare(b.Urgency, a.Urgency), cmp.Compare(a.Turn, b.Turn)) },
	)
	for i, f := range all {
		if i == maxSmaller {
			list = append(list, page.Plural(len(all)-i, "more", "more"))
			break
		}
		list = append(list, fmt.Sprintf("Turn %d: %s", f.Turn, described(f)))
	}
	if n := len(m.Corrected); n > 0 {
		list = append(list, page.Plural(n, "thing")+" that the agent put right by itself")
	}
	return list
}

// gaps says in words what "no findings" does not cover; it is empty if everything was watched.
func gaps(c Coverage) (list []string) {
	if c.Received > 0 && !c.whole() {
		list = append(list, gapSentence(c))
	}
	for _, f := range c.Failed {
		list = append(list, fmt.Sprintf("Turn %d: %s", f.Turn, f.Why))
	}
	list = append(list, refusedText(c)...)
	if c.NoBaseline > 0 {
		list = append(list, "What was asked for is not known in "+page.Plural(c.NoBaseline, "turn")+".")
	}
	if len(c.Unsupported) > 0 {
		list = append(list, "Languages and formats that are not read: "+unsupportedText(c)+".")
	}
	return append(append(list, unreadText(c)...), c.Rules...)
}
