package fleetreport

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

//go:embed page.gohtml
var pageText string

var document = page.NewFigures(pageText)

// RenderHTML writes the report as one page that needs nothing else: no script,
// no network. Names of publishers are escaped by html/template.
func RenderHTML(w io.Writer, m Model) error {
	data := struct {
		Period, Headline, Runs, Nothing string
		Gap                             bool
		Chart                           chart
		Tables                          []htmlTable
		Notes                           []string
	}{
		Period: m.period(), Headline: headline(m), Runs: runsHeadline(&m.Runs), Nothing: nothing(m), Gap: gap(m),
		Chart: newChart(m.Days), Notes: notes(m),
	}
	for _, t := range tables(m) {
		data.Tables = append(data.Tables, htmlTable{t.title, t.columns, t.rows})
	}
	if err := document.Render(w, data); err != nil {
		return fmt.Errorf("write the fleet report: %w", err)
	}
	return nil
}

type htmlTable struct {
	Title   string
	Columns []string
	Rows    [][]string
}

// chart is sessions and interrupts over the days, as bars.
type chart struct {
	Width, Height int
	Bars          []bar
	First, Last   string
	Most          int
}

// bar is one day; lengths are in units of the drawing.
type bar struct {
	X, Width, SessionsY, SessionsHeight, InterruptsY, InterruptsHeight int
	Text                                                               string
}

// chartDays is how many days are drawn, the latest.
const chartDays = 120

const chartHeight, dayWidth = 120, 14

func newChart(days []Day) chart {
	days = days[max(0, len(days)-chartDays):]
	c := chart{Width: max(len(days), 10) * dayWidth, Height: chartHeight}
	if len(days) == 0 {
		return c
	}
	c.First, c.Last = days[0].Day, days[len(days)-1].Day
	for _, d := range days {
		c.Most = max(c.Most, d.Sessions, d.Interrupts)
	}
	height := func(n int) int { return n * (chartHeight - 10) / max(c.Most, 1) }
	for i, d := range days {
		s, f := height(max(d.Sessions, 0)), height(max(d.Interrupts, 0))
		c.Bars = append(c.Bars, bar{
			X: i * dayWidth, Width: dayWidth/2 - 1, SessionsY: chartHeight - s, SessionsHeight: s, InterruptsY: chartHeight - f, InterruptsHeight: f,
			Text: fmt.Sprintf("%s: %s, %s", d.Day, page.Plural(d.Sessions, "session", "sessions"), page.Plural(d.Interrupts, "interrupt", "interrupts")),
		})
	}
	return c
}

// Second is where a day's bar of interrupts begins.
func (b bar) Second() int { return b.X + b.Width }
