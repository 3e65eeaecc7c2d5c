package histories

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// seen are the types of DECISIONS that a person or an agent sees.
var seen = map[events.Type]bool{
	"interrupt.fired": true, "escalation.raised": true, "wiggum.break": true, "gate.decided": true, "violation.detected": true,
	"warning.issued": true, "correction.issued": true, "clarification.requested": true, "policy.checkpoint": true,
}

// Seen returns what a person sees of a history, a line each.
func (h History) Seen() (string, error) {
	var b strings.Builder
	for _, m := range h.Streams[events.StreamDecisions] {
		e, err := events.DecodeMessage(m.Header, m.Data)
		if err != nil {
			return "", fmt.Errorf("decode %s: %w", m.Subject, err)
		}
		if !seen[e.Type] {
			continue
		}
		var fields map[string]any
		if err := json.Unmarshal(m.Data, &fields); err != nil {
			return "", fmt.Errorf("read %s: %w", e.ID, err)
		}
		fmt.Fprintf(&b, "%s  %s  %s", e.Time.Format("15:04:05"), e.Subject, e.Type)
		for _, name := range []string{"turn", "detector", "urgency", "code", "rule", "gate", "decision", "kind", "trigger", "step", "action", "what", "why", "reason", "issue"} {
			if value, is := fields[name]; is {
				fmt.Fprintf(&b, "  %s: %v", name, value)
			}
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}
