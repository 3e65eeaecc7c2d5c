package fleetreport

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
)

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
