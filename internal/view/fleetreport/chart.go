package fleetreport

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

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
			Text: fmt.Sprintf("%s: %s, %s", d.Day, page.Plural(d.Sessions, "session"), page.Plural(d.Interrupts, "interrupt")),
		})
	}
	return c
}

// Second is where a day's bar of interrupts begins.
func (b bar) Second() int { return b.X + b.Width }
