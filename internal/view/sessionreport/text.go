package sessionreport

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// minWidth is the narrowest a line is wrapped to; longest words stand over it.
const minWidth = 20

// RenderText writes the report for a terminal of so many columns (0 or less:
// lines are not wrapped). A nil style is plain. Empty parts are left out, but
// what was not watched is always said (DP-33).
func RenderText(w io.Writer, m Model, width int, style page.Style) error {
	if style == nil {
		style = page.PlainStyle{}
	}
	s := &screen{width: width, style: style}
	s.head(m)
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
type screen struct {
	strings.Builder
	width int
	style page.Style
}

// line writes untrusted text after a mark, wrapped under its beginning. The
// look is put on each line by itself, so that it never crosses a border.
func (s *screen) line(mark, text string, look func(string) string) {
	indent := utf8.RuneCountInString(mark)
	width := s.width
	if width > 0 {
		width = max(width-indent, minWidth)
	}
	for i, l := range page.Wrap(page.Plain(text), width) {
		if i > 0 {
			mark = strings.Repeat(" ", indent)
		}
		s.WriteString(mark + look(l) + "\n")
	}
}

func (s *screen) heading(text string) {
	s.WriteByte('\n')
	s.line("", text, s.style.Heading)
}

func (s *screen) head(m Model) {
	s.line("", "SCAFFOLD-WATCH SESSION REPORT", s.style.Heading)
	s.line("", identity(m), s.style.Muted)
	if m.Session.Task != "" {
		s.line("", "Task: "+passage(m.Session.Task), asIs)
	}
	s.line("", figures(m), asIs)
	if !m.Coverage.whole() {
		s.line("", notWatched(m.Coverage), s.style.Urgent)
	}
}

func (s *screen) interrupts(m Model) {
	if len(m.Interrupts) == 0 {
		return
	}
	s.heading("Interrupts fired this session")
	for _, i := range m.Interrupts {
		s.line("  ", fmt.Sprintf("[Turn %d] CLASS-%s | URGENCY: %s", i.Turn, i.Class, i.Label), s.style.Urgent)
		s.line("    ", i.Message, asIs)
		if quote := m.quoted(i); quote != "" {
			s.line("    ", quote, s.style.Muted)
		}
		look := s.style.Muted
		if i.Heed == "heeded" {
			look = s.style.Good
		}
		s.line("    ", deliveryText(i), look)
	}
}

func (s *screen) forRun(said []Addressed) {
	if len(said) == 0 {
		return
	}
	s.heading(forRunTitle)
	for _, a := range said {
		s.line("  ", a.Heading(), s.style.Urgent)
		s.line("    ", a.Message, asIs)
		s.line("    ", a.Delivery(), s.style.Muted)
	}
}

func (s *screen) halts(halts []Halt) {
	if len(halts) == 0 {
		return
	}
	s.heading(haltsTitle)
	for _, h := range halts {
		s.line("  ", h.Heading(), s.style.Urgent)
		s.line("    ", h.Reason, asIs)
		s.line("    ", h.State(), s.style.Muted)
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
	s.heading(title)
	for _, item := range items {
		s.line("  • ", item, asIs)
	}
}

func (s *screen) health(m Model) {
	s.heading("Codebase health delta")
	look := asIs
	switch m.Health.Verdict {
	case VerdictDegraded:
		look = s.style.Urgent
	case VerdictImproved:
		look = s.style.Good
	}
	s.line("  ", healthParagraph(m.Health), look)
}

func asIs(text string) string { return text }
