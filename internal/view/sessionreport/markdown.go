package sessionreport

import (
	"fmt"
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// RenderMarkdown writes the report in the template of the source, its headings
// word for word, and after it what DP-31 and DP-33 add. The same model gives
// the same bytes; the error is the writer's.
func RenderMarkdown(w io.Writer, m Model) error {
	var p markdown
	p.template(m)
	p.settled(m)
	p.delivery(m)
	p.halts(m)
	p.forRun(m)
	p.timeline(m)
	p.redFlags(m)
	p.detectors(m)
	p.cost(m)
	p.coverage(m)
	if _, err := io.WriteString(w, strings.TrimRight(p.String(), "\n")+"\n"); err != nil {
		return fmt.Errorf("write the report of session %s: %w", m.Session.ID, err)
	}
	return nil
}

// markdown is a document being written.
type markdown struct{ strings.Builder }

// paragraph writes a line as a paragraph of its own. Its text is Markdown already.
func (p *markdown) paragraph(format string, args ...any) {
	fmt.Fprintf(p, format+"\n\n", args...)
}

// list writes items of untrusted text, or what stands for an empty list.
func (p *markdown) list(items []string, empty string) {
	if len(items) == 0 {
		items = []string{empty}
	}
	for _, text := range items {
		fmt.Fprintf(p, "- %s\n", page.Item(text))
	}
	p.WriteByte('\n')
}

func (p *markdown) template(m Model) {
	p.paragraph("## SCAFFOLD-WATCH SESSION REPORT")
	p.paragraph("%s", page.Escape(identity(m)))
	if m.Session.Task != "" {
		p.paragraph("Task: %s", page.Inline(brief(m.Session.Task)))
	}
	p.paragraph("**Session turns observed:** %d", m.Turns)
	p.paragraph("**Interrupts fired:** %d/%d", len(m.Interrupts), m.Budget)
	p.paragraph("**Interrupts queued (not sent):** %d", len(m.NotSent))
	p.paragraph("**Signals logged (below threshold):** %d", len(m.Logged))
	p.paragraph("**Interrupts fired this session:**")
	for _, i := range m.Interrupts {
		p.paragraph("[Turn %d] CLASS-%s | URGENCY: %s — %s", i.Turn, page.Inline(string(i.Class)), page.Inline(i.Label), page.Inline(i.Message))
	}
	p.none(len(m.Interrupts), m, "None.")
	p.paragraph("**Queued signals (not fired):**")
	for _, s := range m.NotSent {
		p.paragraph("URGENCY %s — %s", s.Urgency, page.Inline(described(s)))
	}
	p.none(len(m.NotSent), m, "None.")
	p.paragraph("**Pattern observations:**")
	p.list(m.Observations, nothing(m, "No findings."))
	p.paragraph("**Recommendations for next session:**")
	p.list(m.Advice, nothing(m, "None."))
	p.paragraph("**Codebase health delta:**")
	p.paragraph("%s", page.Escape(healthParagraph(m.Health)))
}

func (p *markdown) none(n int, m Model, text string) {
	if n == 0 {
		p.paragraph("%s", nothing(m, text))
	}
}

func (p *markdown) settled(m Model) {
	p.paragraph("### Suppressed and self-corrected")
	var items []string
	for _, group := range []struct {
		what     string
		findings []Finding
	}{{"Self-corrected", m.Corrected}, {"Suppressed", m.Suppressed}, {"Expired in the queue", m.Expired}, {"In its grace turn", m.Pending}} {
		for _, s := range group.findings {
			text := fmt.Sprintf("[Turn %d] %s: %s %s", s.Turn, group.what, s.Detector, described(s))
			if s.Reason != "" {
				text += " — " + s.Reason
			}
			items = append(items, text)
		}
	}
	p.list(items, nothing(m, "None."))
}

func (p *markdown) delivery(m Model) {
	p.paragraph("### Delivery and heed")
	var items []string
	for _, i := range m.Interrupts {
		items = append(items, fmt.Sprintf("[Turn %d] %s: %s", i.Turn, i.Detector, deliveryText(i)))
	}
	p.list(items, "No interrupt was fired.")
}

func (p *markdown) forRun(m Model) {
	if len(m.ForRun) == 0 {
		return
	}
	p.paragraph("### %s", forRunTitle)
	var items []string
	for _, a := range m.ForRun {
		items = append(items, a.Heading()+" — "+a.Message+" — "+a.Delivery())
	}
	p.list(items, "")
}

func (p *markdown) halts(m Model) {
	if len(m.Halts) == 0 {
		return
	}
	p.paragraph("### %s", haltsTitle)
	var items []string
	for _, h := range m.Halts {
		items = append(items, h.Heading()+" — "+h.Reason+" — "+h.State())
	}
	p.list(items, "")
}

func (p *markdown) timeline(m Model) {
	p.paragraph("### Timeline")
	var items []string
	for _, t := range m.Timeline {
		items = append(items, momentText(t))
	}
	if m.TimelineCut > 0 {
		items = append(items, fmt.Sprintf("%d more entries are left out.", m.TimelineCut))
	}
	p.list(items, nothing(m, "Nothing happened."))
}

func (p *markdown) redFlags(m Model) {
	p.paragraph("### Red flags")
	var items []string
	for _, r := range m.RedFlags {
		items = append(items, redFlagText(r))
	}
	p.list(items, nothing(m, "None."))
}

func (p *markdown) detectors(m Model) {
	p.paragraph("### Signals by detector")
	p.WriteString("| Detector | Signals | Fired | Not sent | Logged | Suppressed | Self-corrected | Expired | Coalesced | Heed |\n")
	p.WriteString("|---|---|---|---|---|---|---|---|---|---|\n")
	for _, t := range m.Detectors {
		p.row(name(t), t.Counts, heedText(t))
	}
	p.row("All", m.Counts, "")
	p.WriteByte('\n')
	if why := unsaid(m); len(why) > 0 {
		p.paragraph("Not sent:")
		p.list(why, "")
	}
}

func (p *markdown) row(name string, c Counts, heed string) {
	fmt.Fprintf(p, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %s |\n", page.Escape(name), c.Detected, c.Fired,
		c.Unsent+c.Queued+c.Pending, c.Logged, c.Suppressed, c.Corrected, c.Expired, c.Coalesced, heed)
}

func (p *markdown) cost(m Model) {
	p.paragraph("### Cost")
	p.paragraph("%s", page.Escape(costText(m)))
}

func (p *markdown) coverage(m Model) {
	p.paragraph("### Coverage")
	p.list(coverageText(m), "")
}
