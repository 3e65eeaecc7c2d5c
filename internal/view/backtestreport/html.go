package backtestreport

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

//go:embed page.gohtml
var pageText string

var document = page.NewFigures(pageText)

// RenderHTML writes the comparison as one page that needs nothing else: no script, no
// network. What transcripts say is escaped by html/template.
func RenderHTML(w io.Writer, m Model) error {
	data := struct {
		Headline string
		Head     []string
		Spark    *spark
		Plot     *plot
		Tables   []htmlTable
		Verdicts []string
		Lists    []htmlList
		Notes    []string
		Sweep    bool
	}{
		Headline: headline(m), Head: head(m), Verdicts: verdicts(m), Notes: notes(m), Sweep: m.Sweep != nil,
	}
	if m.Sweep != nil {
		data.Plot = newPlot(*m.Sweep, m.Heard > 0)
	} else {
		data.Spark = newSpark(m.Series)
	}
	for _, t := range tables(m) {
		data.Tables = append(data.Tables, htmlTable{t.title, t.columns, t.rows})
	}
	for _, l := range lists(m) {
		data.Lists = append(data.Lists, newHTMLList(l))
	}
	if err := document.Render(w, data); err != nil {
		return fmt.Errorf("write the comparison: %w", err)
	}
	return nil
}

type htmlTable struct {
	Title   string
	Columns []string
	Rows    [][]string
}

// htmlList is the changes of one way and kind: what is there now on the left, what would
// be there on the right.
type htmlList struct {
	Title string
	Open  bool
	More  int
	Rows  []htmlChange
}

type htmlChange struct {
	Group, Name, Was, Is, Message, Evidence, Then string
	Way                                           Way
	Depends                                       bool
}

// mostShown bounds the changes of a list on the page; JSON has all.
const mostShown = 500

func newHTMLList(l list) htmlList {
	out := htmlList{Title: fmt.Sprintf("%s (%d)", l.title, len(l.changes)), Open: l.kind != KindSignal && l.kind != KindQueue}
	for i, c := range l.changes {
		if i == mostShown {
			out.More = len(l.changes) - i
			break
		}
		name := c.Detector
		if c.About != "" {
			name += " · " + c.About
		}
		out.Rows = append(out.Rows, htmlChange{
			Group: page.Plain(c.Group), Name: page.Plain(name), Was: c.Was, Is: c.Is, Message: page.Plain(c.Message), Evidence: page.Plain(c.Evidence),
			Then: c.outcome(), Way: c.Way, Depends: c.Depends,
		})
	}
	return out
}
