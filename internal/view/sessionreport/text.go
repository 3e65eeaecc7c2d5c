package sessionreport

import (
	"fmt"
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// RenderText writes the report with how each thing was decided and what was counted, for a terminal of so
// many columns (0 or less: lines are not wrapped). A nil style is plain. Empty parts are left out, but
// what was not watched is always said (DP-33).
func RenderText(w io.Writer, m Model, width int, style page.Style) error {
	s := &screen{page.NewScreen(width, style)}
	s.head(m)
	s.prevented(m.Prevented)
	s.part(subagentsTitle, subagentLines(m))
	s.interrupts(m)
	s.halts(m.Halts)
	s.forRun(m.ForRun)
	s.findings("Queued, not sent", m.NotSent)
	s.findings("Self-corrected", m.Corrected)
	s.findings("Suppressed", m.Suppressed)
	s.findings("In the grace turn", m.Pending)
	s.part("Not sent", unsaid(m))
	s.part("Pattern observations", m.Observations)
	s.part("Recommendations for next session", m.Advice)
	s.health(m)
	s.part("Coverage", coverageText(m))
	if _, err := io.WriteString(w, s.String()); err != nil {
		return fmt.Errorf("write the report of session %s: %w", m.Session.ID, err)
	}
	return nil
}

// screen is text being laid out.
type screen struct{ page.Screen }

func (s *screen) head(m Model) {
	s.Line("", "SCAFFOLD-WATCH SESSION REPORT", s.Style.Heading)
	s.Line("", identity(m), s.Style.Muted)
	if m.Session.Task != "" {
		s.Line("", "Task: "+passage(m.Session.Task), asIs)
	}
	s.Line("", numbers(m), asIs)
	s.opinions(m)
	if !m.Coverage.whole() {
		s.Line("", notWatched(m.Coverage), s.Style.Urgent)
	}
}

func (s *screen) interrupts(m Model) {
	if len(m.Interrupts) == 0 {
		return
	}
	s.Heading("Interrupts fired this session")
	for _, i := range m.Interrupts {
		s.Line("  ", fmt.Sprintf("[Turn %d] CLASS-%s | URGENCY: %s", i.Turn, i.Class, i.Label), s.Style.Urgent)
		s.Line("    ", i.Message, asIs)
		if quote := m.quoted(i); quote != "" {
			s.Line("    ", quote, s.Style.Muted)
		}
		look := s.Style.Muted
		if i.Heed == "heeded" {
			look = s.Style.Good
		}
		s.Line("    ", deliveryText(i), look)
	}
}

func (s *screen) forRun(said []Addressed) {
	if len(said) == 0 {
		return
	}
	s.Heading(forRunTitle)
	for _, a := range said {
		s.Line("  ", a.Heading(), s.Style.Urgent)
		s.Line("    ", a.Message, asIs)
		s.Line("    ", a.Delivery(), s.Style.Muted)
	}
}

func (s *screen) halts(halts []Halt) {
	if len(halts) == 0 {
		return
	}
	s.Heading(haltsTitle)
	for _, h := range halts {
		s.Line("  ", h.Heading(), s.Style.Urgent)
		s.Line("    ", h.Reason, asIs)
		s.Line("    ", h.State(), s.Style.Muted)
	}
}

func (s *screen) findings(title string, findings []Finding) {
	var items []string
	for _, f := range findings {
		item := fmt.Sprintf("[Turn %d] %s %s — %s", f.Turn, f.Detector, f.Urgency, described(f))
		if f.Reason != "" {
			item += " (" + f.Reason + ")"
		}
		items = append(items, item)
	}
	s.part(title, items)
}

func (s *screen) part(title string, items []string) {
	if len(items) == 0 {
		return
	}
	s.Heading(title)
	for _, item := range items {
		s.Line("  • ", item, asIs)
	}
}

func (s *screen) health(m Model) {
	s.Heading("Codebase health delta")
	look := asIs
	switch m.Health.Verdict {
	case VerdictDegraded:
		look = s.Style.Urgent
	case VerdictImproved:
		look = s.Style.Good
	}
	s.Line("  ", healthParagraph(m.Health), look)
}

func asIs(text string) string { return text }
