package fleetreport

import (
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// percent is a rate in words; "–" where there is none.
func percent(rate *float64) string {
	if rate == nil {
		return "–"
	}
	return strconv.Itoa(int(*rate*100+0.5)) + "%"
}

// name is the kind of agent in words.
func (a Agent) name() string {
	if a.Kind == "" {
		return "not known"
	}
	return quote.Name(a.Kind)
}

// headline is the fleet in one line.
func headline(m Model) string {
	f := m.Figures
	text := page.Plural(f.Sessions, "session") + ", " + page.Plural(f.Turns, "turn")
	if before := m.preventedCounts().Text(); before != "" {
		text += ", " + before
	}
	if f.Interrupts == 0 {
		return text
	}
	text += "; agents were told " + page.Plural(f.Interrupts, "thing")
	return text + counted(": ", "", []number{{f.Heeded, "reacted to"}, {f.Ignored, "ignored"}, {f.Dismissed, "called a false alarm"}})
}

// number is a count with what it counts.
type number struct {
	n    int
	what string
}

// counted lists what is not zero (CO-9b), between two marks; "" for nothing.
func counted(before, after string, list []number) string {
	var parts []string
	for _, one := range list {
		if one.n > 0 {
			parts = append(parts, page.Count(one.n)+" "+one.what)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return before + strings.Join(parts, ", ") + after
}

// cost is what is known of it.
func cost(m Model) string {
	u := m.Usage
	if u.ReportedTurns == 0 {
		return "Cost: not known, no turn reported usage."
	}
	text := fmt.Sprintf(
		"Cost: %s from %s that reported it",
		page.Dollars(u.CostUSD),
		page.Plural(u.PricedTurns, "turn"),
	)
	if u.PricedTurns == 0 {
		text = "Cost: not known"
	}
	return text + fmt.Sprintf(
		"; %s input and %s output tokens in %s of %s.",
		page.Count(int(u.InputTokens)),
		page.Count(int(u.OutputTokens)),
		page.Plural(u.ReportedTurns, "turn"),
		page.Count(m.Figures.Turns),
	)
}

// gap reports that silence does not mean that all is well (DP-33).
func gap(m Model) bool {
	return m.Coverage.Received == 0 && m.Runs.Evaluated == 0 || m.Coverage.NotWatched > 0 || m.Runs.Failed > 0
}

// coverage says what was watched, gaps first (DP-33).
func coverage(m Model) []string { return append(gaps(m), received(m)...) }

// received says how much was watched.
func received(m Model) (list []string) {
	c := m.Coverage
	if c.Received > 0 || m.Runs.Evaluated+m.Runs.Failed > 0 {
		list = append(list, fmt.Sprintf("%s received, %d evaluated.", page.Plural(c.Received, "turn"), c.Evaluated))
	}
	if m.Runs.any() {
		list = append(list, fmt.Sprintf("%s of runs evaluated.", page.Plural(m.Runs.Evaluated, "event")))
	}
	return list
}

// gaps say what was not watched, and what could not be seen there.
func gaps(m Model) (list []string) {
	c := m.Coverage
	switch {
	case c.Received == 0 && m.Runs.Evaluated+m.Runs.Failed == 0:
		return []string{"Not watched: no turn was received in this period."}
	case c.NotWatched > 0 && m.Runs.Failed > 0:
		list = append(list, fmt.Sprintf("Not watched: %s (%d failed, %d never came) and %s of runs.", page.Plural(c.NotWatched, "turn"), c.Failed, c.Skipped, page.Plural(m.Runs.Failed, "event")))
	case c.NotWatched > 0:
		list = append(list, fmt.Sprintf("Not watched: %s (%d failed, %d never came).", page.Plural(c.NotWatched, "turn"), c.Failed, c.Skipped))
	case m.Runs.Failed > 0:
		list = append(list, fmt.Sprintf("Not watched: %s of runs.", page.Plural(m.Runs.Failed, "event")))
	}
	if c.OutOfOrder > 0 {
		list = append(list, page.Plural(c.OutOfOrder, "turn")+" out of order.")
	}
	if c.NoBaseline > 0 {
		list = append(list, page.Plural(c.NoBaseline, "turn")+" in which nobody knows what was asked for: what goes beyond it was not seen.")
	}
	for _, u := range c.Unsupported {
		list = append(list, fmt.Sprintf("Not supported: %s, in %s.", quote.Name(u.What), page.Plural(u.Turns, "turn")))
	}
	for _, g := range c.Gaps {
		list = append(list, fmt.Sprintf("Gap: session %s, %d of %d turns not watched.", page.Plain(naming.Brief(g.Session)), g.NotWatched, g.Turns+g.NotWatched))
	}
	return list
}

// delivery says which interrupts agents did not get, as far as it is known.
func delivery(m Model) (list []string) {
	undelivered, untold := 0, 0
	for _, t := range m.Detectors {
		undelivered, untold = undelivered+t.Undelivered, untold+t.Untold
	}
	if undelivered > 0 {
		list = append(list, page.Plural(undelivered, "interrupt")+" for agents that cannot be told; people got them.")
	}
	if untold > 0 {
		list = append(list, page.Plural(untold, "interrupt was", "interrupts were")+" judged though nobody reported a delivery: heeded or ignored says what the agent did next, not that it was told.")
	}
	return list
}

// nothing is the text for an empty table: a gap replaces "none" (DP-33).
func nothing(m Model) string {
	if gap(m) {
		return coverage(m)[0]
	}
	return "None."
}

// tables are the figures; the first column of each is text. Those that say how things were decided come last, and are
// explanation (CO-9b).
func tables(m Model) []doc.Part {
	columns := []string{"day", "sessions", "turns", "not watched", "told", "reacted", "ignored", "false alarms", "prevented", "cost"}
	if m.Runs.any() {
		columns = slices.Insert(columns, 1, "runs", "halts")
	}
	days := doc.FiguresPart("By day", columns...)
	for _, d := range m.Days {
		first := []string{d.Day}
		if m.Runs.any() {
			first = append(first, figures(d.Runs, d.Breaks)...)
		}
		days.Row(append(append(first, figures(d.Sessions, d.Turns, d.NotWatched, d.Interrupts, d.Heeded, d.Ignored, d.Dismissed, d.Prevented)...), known(d.CostUSD))...)
	}
	agents := doc.FiguresPart("By agent", "agent", "sessions", "turns", "told", "input tokens", "output tokens", "cost")
	for _, a := range m.Agents {
		row := append([]string{a.name()}, figures(a.Sessions, a.Turns, a.Interrupts, int(a.InputTokens), int(a.OutputTokens))...)
		agents.Row(append(row, known(a.CostUSD))...)
	}
	list := []doc.Part{days}
	if projects := projectTable(&m.Runs); !projects.Nothing() {
		list = append(list, projects)
	}
	if len(m.Prevented) > 0 {
		list = append(list, preventedTable(m))
	}
	list = append(list, toldTable(m), agents)
	return append(append(list, runTables(&m.Runs)...), detectorTable(m))
}

// toldTable is what agents were told, and what became of it.
func toldTable(m Model) doc.Part {
	told := doc.FiguresPart("What agents were told", "about", "told", "reacted", "ignored", "false alarms")
	for i := range m.Detectors {
		if t := &m.Detectors[i]; t.Interrupts > 0 {
			told.Row(append([]string{t.Name()}, figures(t.Interrupts, t.Heeded, t.Ignored, t.Dismissed)...)...)
		}
	}
	return told
}

// Name is what a detector finds, as all reports name it.
func (t *Tally) Name() string {
	name := page.Plain(t.Detector)
	if t.Title != "" {
		name = t.Title + ", " + name
	}
	return name
}

// detectorTable counts signals by their end, and interrupts by what became of them.
func detectorTable(m Model) doc.Part {
	detectors := doc.FiguresPart("By detector", "detector", "signals", "fired", "logged", "suppressed", "corrected", "interrupts", "told", "heeded", "ignored", "heed rate", "dismissed", "dismiss rate")
	detectors.Explain = true
	for i := range m.Detectors {
		t := &m.Detectors[i]
		row := append([]string{t.Name()}, figures(t.Signals, t.Fired, t.Logged, t.Suppressed, t.Corrected, t.Interrupts, max(t.Delivered, t.Emitted), t.Heeded, t.Ignored)...)
		detectors.Row(append(row, percent(t.HeedRate), strconv.Itoa(t.Dismissed), percent(t.DismissRate))...)
	}
	return detectors
}

func figures(list ...int) []string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = page.Count(n)
	}
	return out
}

func known(usd float64) string {
	if usd == 0 {
		return "–"
	}
	return page.Dollars(usd)
}

// Document lays the report out.
func Document(m Model) doc.Document {
	d := doc.Document{
		Tail: doc.More, Of: "the fleet", Heading: "SCAFFOLD-WATCH FLEET REPORT", Name: strings.ToUpper(m.period()[:1]) + m.period()[1:],
		Anchor: "fleet", Lead: []doc.Block{
			doc.Except(doc.HTML, &doc.Paragraph{Text: m.period(), Tone: doc.Faint}), &doc.Paragraph{Text: headline(m)},
		},
	}
	if runs := runsHeadline(&m.Runs); runs != "" {
		d.Lead = append(d.Lead, &doc.Paragraph{Text: runs})
	}
	if gap(m) {
		d.Lead = append(d.Lead, &doc.Paragraph{Text: coverage(m)[0], Tone: doc.Bad})
	}
	if c := newChart(m.Days); len(c.Bars) > 0 {
		d.Parts = append(d.Parts, doc.Part{
			Title: "Sessions and interrupts over time", Not: doc.Text | doc.Markdown, Blocks: []doc.Block{c.picture()},
		})
	}
	for _, p := range tables(m) {
		p.Empty, p.Always = nothing(m), !p.Explain
		d.Parts = append(d.Parts, p)
	}
	d.Parts = append(
		d.Parts, doc.Part{Title: "Cost and coverage", Blocks: []doc.Block{doc.Lines(notes(m))}},
		doc.Part{Title: "Counted", Explain: true, Blocks: []doc.Block{doc.Lines(received(m))}},
	)
	return d
}

// Report is the report in all its forms.
func Report(m Model) doc.Report {
	return doc.Report{
		Of: "the fleet", Model: m, Screen: func() doc.Document { return Document(m) },
		Page: func() doc.Page {
			d := Document(m)
			return doc.Page{Of: "the fleet, " + m.period(), Heading: "Scaffold-watch fleet report", Documents: []doc.Document{d}}
		},
	}
}

// notes say what the tables do not show.
func notes(m Model) []string {
	list := append(gaps(m), delivery(m)...)
	return append(append(append(list, runNotes(&m.Runs)...), cost(m)), opinionNotes(m)...)
}

//go:embed chart.gohtml
var chartText string

var chartPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("chart").Parse(chartText))
})

// picture draws the chart; its figures are in the table below it.
func (c chart) picture() *doc.Picture {
	var out strings.Builder
	if err := chartPage().Execute(&out, c); err != nil {
		panic(err) // the template is ours and takes any chart
	}
	return &doc.Picture{
		Legend: []doc.Segment{{Class: "sessions", Words: "sessions"}, {Class: "interrupts", Words: "interrupts"}},
		SVG:    template.HTML(out.String()),
		Words:  fmt.Sprintf("%s to %s: days with events: %d, at most %d a day", c.First, c.Last, len(c.Bars), c.Most),
	}
}
