package scenario

import (
	"fmt"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// WriteSignal writes a signal in the form of expectations.
func WriteSignal(b *strings.Builder, s *sessionevents.Signal) {
	fmt.Fprintf(b, "%s", s.Detector)
	if s.Subclass != "" {
		fmt.Fprintf(b, "/%s", s.Subclass)
	}
	fmt.Fprintf(b, " %q urgency=%s cost=%d p=%.2f confidence=%.2f", s.Subject, s.Urgency, s.ReworkCost, s.SelfCorrect, s.Confidence)
	if s.Floor != nil {
		fmt.Fprintf(b, " floor=%s", s.Floor)
	}
	if s.Cap != nil {
		fmt.Fprintf(b, " cap=%s", s.Cap)
	}
	if s.Forced {
		b.WriteString(" forced")
	}
	if s.Escalate {
		b.WriteString(" escalate")
	}
	if s.Streak > 0 {
		fmt.Fprintf(b, " streak=%d", s.Streak)
	}
	if s.Suppressed != "" {
		fmt.Fprintf(b, " suppressed=%q", s.Suppressed)
	}
	fmt.Fprintf(b, "\n  says: %s\n  because: %s\n", s.Message, s.Reason)
	for _, e := range s.Evidence {
		writeEvidence(b, e)
	}
}

func writeEvidence(b *strings.Builder, e sessionevents.Evidence) {
	fmt.Fprintf(b, "  at: %d %s", e.Segment, e.Kind)
	if e.Path != "" {
		fmt.Fprintf(b, " %s", e.Path)
	}
	if e.Line > 0 {
		fmt.Fprintf(b, ":%d", e.Line)
	}
	fmt.Fprintf(b, " [%d+%d]", e.Offset, e.Length)
	if len(e.Quote) > 180 {
		b.WriteString("\n    " + folded(e.Quote, "    "))
	} else {
		fmt.Fprintf(b, " %q", e.Quote)
	}
	if c := e.ConflictsWith; c != nil {
		fmt.Fprintf(b, " against turn %d", c.Turn)
		for _, more := range []string{c.Session, c.Path, c.What} {
			if more != "" {
				fmt.Fprintf(b, " %s", more)
			}
		}
	}
	b.WriteByte('\n')
	if len(e.Flow) > 0 {
		b.WriteString("  flow:")
		for _, step := range e.Flow {
			fmt.Fprintf(b, " %s", step.Role)
			if step.Line > 0 {
				fmt.Fprintf(b, " %d", step.Line)
			}
		}
		b.WriteByte('\n')
	}
}
