package sessionreport

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// Subagent is what a session's report says about an agent that the session started (CO-9); that agent's own
// report has the details.
type Subagent struct {
	Session string `json:"session"`
	Name    string `json:"name,omitempty"` // its id, as its parent's harness gave it
	Turns   int    `json:"turns_observed"`
	// Told lists the interrupts that it was sent, in order, at most [maxSubagentWords].
	Told      []string `json:"told,omitempty"`
	Fired     int      `json:"interrupts"`
	Prevented int      `json:"prevented,omitempty"` // calls that the guard denied, kept first or warned of
	Debt      int      `json:"debt_added,omitempty"`
}

const (
	// maxSubagents and maxSubagentWords limit what a report holds about subagents.
	maxSubagents     = 50
	maxSubagentWords = 3
)

const subagentsTitle = "Its subagents"

// withSubagents adds to a report what its subagents did. Their open debt degrades the health of the session
// that started them, since their work is in its tree.
func withSubagents(m *Model, children []Model) {
	for i := range children {
		c := &children[i]
		m.Health.OfSubagents += c.Health.DebtAdded
		if len(m.Subagents) == maxSubagents {
			continue
		}
		one := Subagent{Session: c.Session.ID, Turns: c.Turns, Fired: len(c.Interrupts), Debt: c.Health.DebtAdded}
		if c.Session.Agent != nil {
			one.Name = c.Session.Agent.ID
		}
		if c.Prevented != nil {
			one.Prevented = c.Prevented.All()
		}
		for _, f := range c.Interrupts[:min(len(c.Interrupts), maxSubagentWords)] {
			one.Told = append(one.Told, f.Detector+" "+f.Message)
		}
		m.Subagents = append(m.Subagents, one)
	}
	if m.Health.OfSubagents > 0 {
		m.Health.Verdict = VerdictDegraded
		text := "Its subagents left " + page.Plural(m.Health.OfSubagents, "point") + " of debt open."
		m.Health.Explanation = append([]string{text}, m.Health.Explanation...)
	}
}

// subagentLines returns one line for each subagent with something to report.
func subagentLines(m Model) (lines []string) {
	quiet := 0
	for _, s := range m.Subagents {
		var parts []string
		if s.Prevented > 0 {
			parts = append(parts, page.Plural(s.Prevented, "call")+" prevented or secured")
		}
		if s.Fired > 0 {
			told := "told " + strings.Join(s.Told, "; ")
			if more := s.Fired - len(s.Told); more > 0 {
				told += fmt.Sprintf("; and %d more", more)
			}
			parts = append(parts, told)
		}
		if len(parts) == 0 {
			quiet++
			continue
		}
		name := s.Name
		if name == "" {
			name = s.Session
		}
		lines = append(lines, name+", "+page.Plural(s.Turns, "turn")+": "+strings.Join(parts, "; "))
	}
	if quiet > 0 && len(lines) > 0 {
		lines = append(lines, page.Plural(quiet, "more", "more")+" without findings")
	}
	return lines
}
