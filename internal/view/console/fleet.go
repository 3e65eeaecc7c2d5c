package console

import (
	"fmt"
	"io"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/fleetreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// Fleet is what the view of all sessions over time shows (CO-14).
type Fleet struct {
	Place
	Report fleetreport.Model
	Since  string // as requested
}

// chartDays limits how many days a chart shows, the latest.
const chartDays = 60

const (
	chartHeight = 72
	dayWidth    = 10
)

// chart is one figure by day.
type chart struct {
	Name, Now, Sum, First, Last string
	Width                       int
	Bars                        []bar
}

// bar is one day; it links to the sessions that began on it.
type bar struct {
	Link, Text               string
	X, Y, Width, Bar, Height int
}

// figure is a named number.
type figure struct{ Name, Value string }

// detectorRow and dayRow are rows of the tables.
type (
	detectorRow struct{ Name, Told, Heeded, Dismissed string }
	dayRow      struct{ Day, Link, Sessions, Turns, Told, Prevented, Cost string }
)

// measure returns what a chart shows for a day; ok is false if there is nothing to show.
type measure struct {
	name   string
	of     func(fleetreport.Figures, float64) (value float64, ok bool)
	worded func(float64) string
}

var measures = []measure{
	{"Words to agents per 100 turns", func(f fleetreport.Figures, _ float64) (float64, bool) {
		return 100 * float64(f.Interrupts) / float64(max(f.Turns, 1)), f.Turns > 0
	}, func(v float64) string { return fmt.Sprintf("%.1f", v) }},
	{"Agents reacted", func(f fleetreport.Figures, _ float64) (float64, bool) {
		return 100 * float64(f.Heeded) / float64(max(f.Heeded+f.Ignored, 1)), f.Heeded+f.Ignored > 0
	}, func(v float64) string { return fmt.Sprintf("%.0f %%", v) }},
	{
		"Calls prevented or secured",
		func(f fleetreport.Figures, _ float64) (float64, bool) { return float64(f.Prevented), f.Prevented > 0 }, whole,
	},
	{"Cost", func(_ fleetreport.Figures, usd float64) (float64, bool) { return usd, usd > 0 }, money},
}

func whole(v float64) string { return count(int(v)) }

// count formats a number with separators, "" for zero.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return page.Count(n)
}

// RenderFleet writes the view.
func RenderFleet(w io.Writer, m Fleet) error {
	f := &m.Report.Figures
	view := struct {
		Heading, Report, Gap string
		Periods              []choice
		Figures              []figure
		Charts               []chart
		Detectors            []detectorRow
		Days                 []dayRow
	}{
		Heading: page.Plural(f.Sessions, "session") + ", " + page.Plural(f.Turns, "turn") + ".",
		Report: m.link(
			"/v1/fleet", "format", "html", "since", m.Since,
		), Figures: m.figures(), Charts: m.charts(), Detectors: m.detectors(), Days: m.days(),
	}
	if f.Sessions == 0 {
		view.Heading = headed(0)
	}
	if f.NotWatched > 0 {
		view.Gap = page.Plural(f.NotWatched, "turn was", "turns were") + " not watched, so silence says nothing about them."
	}
	for _, p := range []struct{ since, name string }{{"7d", "7 days"}, {"30d", "30 days"}, {"", "all"}} {
		since := p.since
		if since == "" {
			since = "all"
		}
		view.Periods = append(view.Periods, choice{m.link("/fleet", "since", since), p.name, p.since == m.Since})
	}
	return m.render(w, shell{view: viewFleet, title: viewFleet}, "fleet.gohtml", view)
}

// figures returns the notable totals; what did not happen is left out.
func (m *Fleet) figures() (list []figure) {
	f := &m.Report.Figures
	add := func(name, value string) {
		if value != "" {
			list = append(list, figure{name, value})
		}
	}
	add("words to agents", count(f.Interrupts))
	add("false alarms, as people said", count(f.Dismissed))
	add("calls prevented or secured", count(f.Prevented))
	add("halts of runs", count(f.Breaks))
	for _, waited := range []struct {
		name string
		of   *float64
	}{
		{"median time to answer a question", m.Report.Runs.Questions.MedianSeconds},
		{"median time to look at an escalation", m.Report.Runs.Escalations.MedianSeconds},
	} {
		if waited.of != nil {
			add(waited.name, age(max(time.Duration(*waited.of*float64(time.Second)), time.Minute)))
		}
	}
	add("reported cost", money(m.Report.Usage.CostUSD))
	for i := range m.Report.Opinions {
		o := &m.Report.Opinions[i]
		add("opinions of "+page.Plain(o.Model), o.Says())
	}
	return list
}

// charts returns the measures that have any value.
func (m *Fleet) charts() (list []chart) {
	days := m.Report.Days
	days = days[max(0, len(days)-chartDays):]
	for _, one := range measures {
		c := chart{Name: one.name, Width: max(len(days), 14) * dayWidth}
		most, when := 0.0, ""
		for _, d := range days {
			if v, ok := one.of(d.Figures, d.CostUSD); ok && v > most {
				most, when = v, d.Day
			}
		}
		if most == 0 {
			continue
		}
		all, _ := one.of(m.Report.Figures, m.Report.Usage.CostUSD)
		c.Now = one.worded(all)
		for i, d := range days {
			v, ok := one.of(d.Figures, d.CostUSD)
			b := bar{
				Link: m.day(d.Day), X: i * dayWidth, Width: dayWidth, Bar: dayWidth - 2, Text: d.Day + ": none", Y: chartHeight,
			}
			if ok && v > 0 {
				b.Height = max(int(v/most*(chartHeight-6)), 2)
				b.Y, b.Text = chartHeight-b.Height, d.Day+": "+one.worded(v)
			}
			c.Bars = append(c.Bars, b)
		}
		c.First, c.Last = days[0].Day, days[len(days)-1].Day
		c.Sum = fmt.Sprintf("in all; most on %s: %s", when, one.worded(most))
		list = append(list, c)
	}
	return list
}

// day returns the address of the sessions that began on a day.
func (m *Fleet) day(day string) string { return m.link("/live", "day", day) }

func (m *Fleet) detectors() (list []detectorRow) {
	percent := func(rate *float64) string {
		if rate == nil {
			return ""
		}
		return fmt.Sprintf("%.0f %%", *rate*100)
	}
	for i := range m.Report.Detectors {
		t := &m.Report.Detectors[i]
		if t.Interrupts == 0 {
			continue
		}
		one := detectorRow{t.Name(), count(t.Interrupts), percent(t.HeedRate), ""}
		if t.Dismissed > 0 {
			one.Dismissed = percent(t.DismissRate)
		}
		list = append(list, one)
	}
	return list
}

func (m *Fleet) days() (list []dayRow) {
	days := m.Report.Days
	for i := len(days) - 1; i >= max(0, len(days)-chartDays); i-- {
		d := &days[i]
		list = append(
			list,
			dayRow{
				d.Day, m.day(d.Day), count(d.Sessions), count(d.Turns), count(d.Interrupts), count(d.Prevented), money(d.CostUSD),
			},
		)
	}
	return list
}
