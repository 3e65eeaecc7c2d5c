package sessionreport

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
)

// Prescribed lays the report out as the first source's template prescribes, with its exact headings even
// where they have no content, followed by what DP-31 and DP-33 add. It is the Markdown form.
func Prescribed(m Model) doc.Document {
	d := doc.Document{Of: "session " + m.Session.ID, Heading: heading}
	d.Lead = append(d.Lead, &doc.Paragraph{Text: identity(m)})
	if m.Session.Task != "" {
		d.Lead = append(d.Lead, &doc.Paragraph{Label: "Task", Text: passage(m.Session.Task)})
	}
	d.Lead = append(
		d.Lead,
		&doc.Paragraph{Label: "Session turns observed", Text: number(m.Turns)},
		&doc.Paragraph{Label: "Interrupts fired", Text: firedOf(m) + deniedToo(m)},
		&doc.Paragraph{Label: "Interrupts queued (not sent)", Text: number(len(m.NotSent))},
		&doc.Paragraph{Label: "Signals logged (below threshold)", Text: number(len(m.Logged))},
		&doc.Paragraph{Text: foundNothing(m)},
	)
	if m.Opinions != nil {
		d.Lead = append(d.Lead, &doc.Paragraph{Text: "S" + strings.TrimPrefix(m.Opinions.Text(), "s")})
	}
	if m.Prevented != nil {
		d.Lead = append(d.Lead, &doc.Paragraph{Label: prevented.Title, Text: m.Prevented.Happened()},
			doc.Lines(preventedLines(m.Prevented)))
	}
	subagents := linesPart(subagentsTitle, "", subagentLines(m))
	subagents.Prescribed = true
	d.Parts = append(d.Parts, subagents, prescribedFired(m), prescribedWaiting(m),
		prescribed("Pattern observations", doc.Lines(m.Observations)),
		prescribed("Recommendations for next session", doc.Lines(m.Advice)),
		prescribed("Codebase health delta", &doc.Paragraph{Text: healthParagraph(m.Health)}))
	d.Parts = append(d.Parts, added(m)...)
	return d
}

// nothingThere is the text of a heading of the source's template that has no content: each report has every
// heading, so that a reader sees what was checked (DP-31).
const nothingThere = "None."

func prescribed(title string, blocks ...doc.Block) doc.Part {
	return doc.Part{Title: title, Prescribed: true, Empty: nothingThere, Blocks: blocks}
}

// prescribedFired lists the interrupts, each with what it was about in the words of its turn.
func prescribedFired(m Model) doc.Part {
	p := prescribed("Interrupts fired this session")
	for _, i := range m.Interrupts {
		p.Add(&doc.Paragraph{
			Form: "[Turn %s] CLASS-%s | URGENCY: %s — %s", Args: []any{i.Turn, i.Class, i.Label, i.Message},
		}, &doc.Paragraph{Text: m.quoted(i)})
	}
	return p
}

// prescribedWaiting lists what was queued and never delivered, expired or not (DP-31).
func prescribedWaiting(m Model) doc.Part {
	p := prescribed("Queued signals (not fired)")
	for _, s := range m.NotSent {
		p.Add(&doc.Paragraph{Form: "URGENCY %s — %s", Args: []any{s.Urgency, unsent(s)}})
	}
	return p
}

// added are the parts after the template's.
func added(m Model) []doc.Part {
	var settled, delivery, halts, forRun, timeline, flags []string
	for _, group := range []struct {
		what     string
		findings []Finding
	}{{"Self-corrected", m.Corrected}, {"Suppressed", m.Suppressed}, {"In its grace turn", m.Pending}} {
		for _, s := range group.findings {
			text := fmt.Sprintf("[Turn %d] %s: %s %s", s.Turn, group.what, s.Detector, described(s))
			if s.Reason != "" {
				text += " — " + s.Reason
			}
			settled = append(settled, text)
		}
	}
	for _, i := range m.Interrupts {
		delivery = append(delivery, fmt.Sprintf("[Turn %d] %s: %s", i.Turn, i.Detector, deliveryText(i)))
	}
	for _, h := range m.Halts {
		halts = append(halts, h.Heading()+" — "+h.Reason+" — "+h.State())
	}
	for _, a := range m.ForRun {
		forRun = append(forRun, a.Heading()+" — "+a.Message+" — "+a.Delivery())
	}
	for _, t := range m.Timeline {
		timeline = append(timeline, momentText(t))
	}
	if m.TimelineCut > 0 {
		timeline = append(timeline, fmt.Sprintf("%d more entries are left out.", m.TimelineCut))
	}
	for _, r := range m.RedFlags {
		flags = append(flags, redFlagText(r))
	}
	return []doc.Part{
		linesPart("Suppressed and self-corrected", "", settled), linesPart("Delivery and heed", "", delivery),
		linesPart(haltsTitle, "", halts), linesPart(forRunTitle, "", forRun), prescribedDone(m),
		linesPart("Timeline", "", timeline), linesPart("Red flags", "", flags), prescribedDetectors(m),
		{Title: "Cost", Blocks: []doc.Block{&doc.Paragraph{Text: costText(m)}}},
		linesPart("Coverage", "", coverageText(m)),
	}
}

// prescribedDone is the ledger of done (PD-3).
func prescribedDone(m Model) doc.Part {
	if m.Done == nil || len(m.Done.Claims)+len(m.Done.Open)+len(m.Done.Receipts) == 0 {
		return doc.Part{}
	}
	return linesPart(doneTitle+": "+m.Done.Heading(), "", m.Done.Lines(false, toList(m.Session.ID)))
}

func prescribedDetectors(m Model) doc.Part {
	if m.Counts.Detected == 0 {
		return doc.Part{}
	}
	p := doc.TablePart(
		"Signals by detector", "Detector", "Signals", "Fired", "Not sent", "Logged", "Suppressed", "Self-corrected",
		"Expired", "Coalesced", "Heed",
	)
	row := func(name string, c Counts, heed string) {
		cells := []string{name}
		for _, n := range []int{
			c.Detected, c.Fired, c.Unsent + c.Queued + c.Pending, c.Logged, c.Suppressed, c.Corrected, c.Expired, c.Coalesced,
		} {
			cells = append(cells, number(n))
		}
		p.Row(append(cells, heed)...)
	}
	for _, t := range m.Detectors {
		row(name(t), t.Counts, heedText(t))
	}
	row("All", m.Counts, "")
	if lines := unsaid(m); len(lines) > 0 {
		p.Add(&doc.Paragraph{Text: "Not sent:"}, doc.Lines(lines))
	}
	return p
}

func number(n int) string { return strconv.Itoa(n) }

// notWatched says what "no findings" does not cover (DP-33).
func notWatched(c Coverage) string {
	others := c.RefusedEvents - c.RefusedTurns
	switch {
	case c.Received == 0:
		return "not watched: no turn was received"
	case others > 0 && c.NotWatched == 0:
		return "not watched: " + page.Plural(others, "refused event")
	case others > 0:
		return "not watched: " + page.Plural(c.NotWatched, "turn") + " and " + page.Plural(others, "refused event")
	}
	return "not watched: " + page.Plural(c.NotWatched, "turn")
}

// gapSentence is [notWatched] as a sentence.
func gapSentence(c Coverage) string {
	text := notWatched(c)
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// foundNothing says that nothing was found, "" if something was: a gap replaces it
// (DP-33).
func foundNothing(m Model) string {
	switch {
	case len(m.Interrupts)+len(m.NotSent)+len(m.Observations) > 0, m.Prevented != nil:
		return ""
	case !m.Coverage.whole():
		return notWatched(m.Coverage)
	}
	return "No findings."
}

// Moments returns the entries of the timeline in words, one per line.
func (m Model) Moments() []string {
	lines := make([]string, 0, len(m.Timeline))
	for _, t := range m.Timeline {
		lines = append(lines, page.Plain(momentText(t)))
	}
	return lines
}
