package detecttest

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/scenario"
)

// render returns a turn's result in the form of expectations. known maps the ids of
// earlier signals to their short names.
func render(result detect.Result, known map[string]string) string {
	var b strings.Builder
	for _, p := range result.Pending {
		fmt.Fprintf(&b, "%s is %s: %s\n", known[p.ID], p.Outcome, p.Why)
	}
	for i := range result.Signals {
		s := &result.Signals[i]
		known[s.ID] = fmt.Sprintf("%s of turn %d about %q", s.Detector, s.Turn, s.Subject)
		scenario.WriteSignal(&b, s)
	}
	if b.Len() == 0 {
		return "nothing\n"
	}
	return b.String()
}
