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
	p.done(m)
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

// list writes items of untrusted text.
func (p *markdown) list(items []string) {
	for _, text := range items {
		fmt.Fprintf(p, "- %s\n", page.Item(text))
	}
	p.WriteByte('\n')
}

func (p *markdown) template(m Model) {
	p.paragraph("## SCAFFOLD-WATCH SESSION REPORT")
	p.paragraph("%s", page.Escape(identity(m)))
	if m.Session.Task != "" {
		p.paragraph("Task: %s", page.Inline(passage(m.Session.Task)))
	}
	p.paragraph("**Session turns observed:** %d", m.Turns)
	p.paragraph("**Interrupts fired:** %s", firedOf(m)+deniedToo(m))
	p.paragraph("**Interrupts queued (not sent):** %d", len(m.NotSent))
	p.paragraph("**Signals logged (below threshold):** %d", len(m.Logged))
	if none := foundNothing(m); none != "" {
		p.paragraph("%s", none)
	}
	p.opinions(m)
	p.prevented(m)
	p.part("**"+subagentsTitle+":**", subagentLines(m))
	p.fired(m)
	p.waiting(m)
	p.kept("**Pattern observations:**", m.Observations)
	p.kept("**Recommendations for next session:**", m.Advice)
	p.paragraph("**Codebase health delta:**")
	p.paragraph("%s", page.Escape(healthParagraph(m.Health)))
}

// fired lists the interrupts, each with what it was about in the words of its turn.
func (p *markdown) fired(m Model) {
	p.paragraph("**Interrupts fired this session:**")
	if len(m.Interrupts) == 0 {
		p.paragraph("%s", nothingThere)
	}
	for _, i := range m.Interrupts {
		p.paragraph("[Turn %d] CLASS-%s | URGENCY: %s — %s", i.Turn, page.Inline(string(i.Class)), page.Inline(i.Label), page.Inline(i.Message))
		if quote := m.quoted(i); quote != "" {
			p.paragraph("%s", page.Inline(quote))
		}
	}
}

// waiting lists what was queued and never said, expired or not (DP-31).
func (p *markdown) waiting(m Model) {
	p.paragraph("**Queued signals (not fired):**")
	if len(m.NotSent) == 0 {
		p.paragraph("%s", nothingThere)
	}
	for _, s := range m.NotSent {
		p.paragraph("URGENCY %s — %s", s.Urgency, page.Inline(unsent(s)))
	}
}

// nothingThere is under a heading of the source's template that has no content: the heading is in each
// report, so that a reader sees what was looked for (DP-31).
const nothingThere = "None."

// kept writes a heading of the source's template, also without content.
func (p *markdown) kept(heading string, items []string) {
	if len(items) == 0 {
		p.paragraph("%s", heading)
		p.paragraph("%s", nothingThere)
	}
	p.part(heading, items)
}

// part writes a heading and its list; a heading without content is left out.
func (p *markdown) part(heading string, items []string) {
	if len(items) > 0 {
		p.paragraph("%s", heading)
		p.list(items)
	}
}

func (p *markdown) settled(m Model) {
	var items []string
	for _, group := range []struct {
		what     string
		findings []Finding
	}{{"Self-corrected", m.Corrected}, {"Suppressed", m.Suppressed}, {"In its grace turn", m.Pending}} {
		for _, s := range group.findings {
			text := fmt.Sprintf("[Turn %d] %s: %s %s", s.Turn, group.what, s.Detector, described(s))
			if s.Reason != "" {
				text += " — " + s.Reason
			}
			items = append(items, text)
		}
	}
	p.part("### Suppressed and self-corrected", items)
}

func (p *markdown) delivery(m Model) {
	var items []string
	for _, i := range m.Interrupts {
		items = append(items, fmt.Sprintf("[Turn %d] %s: %s", i.Turn, i.Detector, deliveryText(i)))
	}
	p.part("### Delivery and heed", items)
}

func (p *markdown) forRun(m Model) {
	var items []string
	for _, a := range m.ForRun {
		items = append(items, a.Heading()+" — "+a.Message+" — "+a.Delivery())
	}
	p.part("### "+forRunTitle, items)
}

func (p *markdown) halts(m Model) {
	var items []string
	for _, h := range m.Halts {
		items = append(items, h.Heading()+" — "+h.Reason+" — "+h.State())
	}
	p.part("### "+haltsTitle, items)
}

func (p *markdown) timeline(m Model) {
	var items []string
	for _, t := range m.Timeline {
		items = append(items, momentText(t))
	}
	if m.TimelineCut > 0 {
		items = append(items, fmt.Sprintf("%d more entries are left out.", m.TimelineCut))
	}
	p.part("### Timeline", items)
}

func (p *markdown) redFlags(m Model) {
	var items []string
	for _, r := range m.RedFlags {
		items = append(items, redFlagText(r))
	}
	p.part("### Red flags", items)
}

func (p *markdown) detectors(m Model) {
	if m.Counts.Detected == 0 {
		return
	}
	p.paragraph("### Signals by detector")
	p.WriteString("| Detector | Signals | Fired | Not sent | Logged | Suppressed | Self-corrected | Expired | Coalesced | Heed |\n")
	p.WriteString("|---|---|---|---|---|---|---|---|---|---|\n")
	for _, t := range m.Detectors {
		p.row(name(t), t.Counts, heedText(t))
	}
	p.row("All", m.Counts, "")
	p.WriteByte('\n')
	p.part("Not sent:", unsaid(m))
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
	p.part("### Coverage", coverageText(m))
}
