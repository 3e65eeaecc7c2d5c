package runreport

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// part is a piece of the report, the same in every form. Its texts are as agents
// and people wrote them: each form makes them safe for itself.
type part struct {
	Title string
	Cards []card
	Items []entry
	Table table
	// Empty is the text of a part that has nothing; "" leaves the part out.
	Empty string
	// Always keeps the part in the text for terminals too, where parts that have
	// nothing are left out.
	Always bool
}

// card is one thing that needs more than a line.
type card struct {
	Title string
	Lines []entry
	Tone  tone
}

// entry is a line with how much it matters.
type entry struct {
	Text string
	Tone tone
}

// table has a head and rows of the same width; the first column names the row.
type table struct {
	Columns []string
	Rows    [][]string
}

// tone says how a text is to be taken.
type tone string

// Tones.
const (
	plainTone tone = ""
	bad       tone = "bad"
	good      tone = "good"
	faint     tone = "note"
)

func (p part) nothing() bool { return len(p.Cards)+len(p.Items)+len(p.Table.Rows) == 0 }

func (p *part) say(text string) { p.Items = append(p.Items, entry{Text: text}) }

func (p *part) sayAs(as tone, text string) { p.Items = append(p.Items, entry{text, as}) }

func (p *part) row(cells ...string) { p.Table.Rows = append(p.Table.Rows, cells) }

func (c *card) say(text string) {
	if text != "" {
		c.Lines = append(c.Lines, entry{Text: text})
	}
}

func (c *card) sayAs(as tone, text string) { c.Lines = append(c.Lines, entry{text, as}) }

// layOut is the report in parts, those with nothing to say left out.
func layOut(m Model) []part {
	var out []part
	for _, p := range []part{
		breaksPart(m), openPart(m), preventedPart(m), effectsPart(m), correctionsPart(m), shadowsPart(m), judgedPart(m, "Violations", m.Violations, bad), judgedPart(m, "Warnings", m.Warnings, plainTone),
		gatesPart(m), policiesPart(m), cyclesPart(m), isolationPart(m), incidentsPart(m), conformancePart(m), degradationsPart(m), evaluationsPart(m),
		leftoversPart(m), calibrationPart(m), steersPart(m), sessionsPart(m), costPart(m), timelinePart(m), coveragePart(m),
	} {
		if !p.nothing() || p.Empty != "" {
			out = append(out, p)
		}
	}
	return out
}

// none stands for an empty list: a gap replaces "none", since silence means
// something only where somebody watched.
func none(m Model) string {
	if gap := notWatched(m); gap != "" {
		return "None seen; " + gap
	}
	if m.Coverage.NewsNotHeld {
		return "None here; see Coverage."
	}
	return "None."
}

// notWatched says what silence does not cover, "" where all was watched.
func notWatched(m Model) string {
	var gaps []string
	if failed := len(m.Coverage.Failed); failed > 0 {
		gaps = append(gaps, page.Plural(failed, "run event", "run events"))
	}
	if m.Coverage.TurnsFailed > 0 {
		gaps = append(gaps, page.Plural(m.Coverage.TurnsFailed, "turn", "turns"))
	}
	if len(gaps) == 0 {
		return ""
	}
	return "not watched: " + strings.Join(gaps, " and ") + "."
}

// conclusions returns the parts that do not list decisions.
func conclusions(m Model) []part {
	verdicts := part{Title: "Breaks, by what came after them"}
	for i := range m.Breaks {
		b := &m.Breaks[i]
		verdicts.sayAs(verdictTone(b.Warrant.Verdict), string(b.Trigger)+": "+warrantText(b.Warrant))
	}
	parts := []part{verdicts, effectsPart(m), cyclesPart(m), isolationPart(m), incidentsPart(m), brokenRules(m), degradationsPart(m), evaluationsPart(m), calibrationPart(m)}
	if notWatched(m) != "" || len(m.Coverage.Claims) > 0 || m.Coverage.Pending > 0 {
		parts = append(parts, coveragePart(m))
	}
	return parts
}

// brokenRules is the conformance without what was held or gave no occasion.
func brokenRules(m Model) part {
	p := conformancePart(m)
	p.Table.Rows = slices.DeleteFunc(p.Table.Rows, func(row []string) bool { return row[3] == "0" && row[4] == "0" })
	return p
}
