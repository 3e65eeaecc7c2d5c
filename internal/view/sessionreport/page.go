package sessionreport

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// Page puts the reports of sessions on one page. Several reports are collapsed below a table that says what
// happened in each session.
func Page(models ...Model) doc.Page {
	p := doc.Page{Of: page.Plural(len(models), "session"), Heading: heading + "S"}
	switch len(models) {
	case 0:
		p.Lead = []doc.Block{&doc.Paragraph{Text: "No session was seen."}}
	case 1:
		p.Of, p.Heading = "session "+models[0].Session.ID, heading
	default:
		p.Lead = []doc.Block{overview(models)}
	}
	for i, m := range models {
		p.Documents = append(p.Documents, newPlaced(m, Anchor(i)).document())
	}
	return p
}

// overview is a line for each session.
func overview(models []Model) *doc.Table {
	t := &doc.Table{
		Caption: number(len(models)) + " sessions, in the order they appeared",
		Columns: []string{"Session", "Id", "Turns", "What happened"},
	}
	ids := make([]string, 0, len(models))
	for _, m := range models {
		ids = append(ids, m.Session.ID)
	}
	short := naming.Short(ids)
	for i, m := range models {
		happened := m.Happened()
		if len(happened) == 0 {
			happened = []string{foundOrGap(m)}
		}
		id := m.Session.ID
		if naming.Generated(id) {
			id = short[id]
		}
		t.Row(title(m), id, number(m.Turns), strings.Join(happened, " "))
		row := t.Rows[len(t.Rows)-1]
		row[0].Link = Anchor(i)
		row[3].Tone = doc.When(!m.Coverage.whole(), doc.Bad)
	}
	return t
}
