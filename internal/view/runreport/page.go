package runreport

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
)

// Page puts runs, after the given sessions, on one page. Sessions on the page are linked.
func Page(sessions []sessionreport.Model, runs ...Model) doc.Page {
	p := sessionreport.Page(sessions...)
	if len(runs) == 0 {
		return p
	}
	links := map[string]string{}
	for i, s := range sessions {
		links[s.Session.ID] = sessionreport.Anchor(i)
	}
	if len(sessions) == 0 {
		p.Lead = nil
	}
	for i := range runs {
		d := Document(runs[i])
		link(&d, runs[i].Sessions, links)
		p.Documents = append(p.Documents, d)
	}
	p.Of, p.Heading = "run "+runs[0].Run.ID, p.Documents[len(p.Documents)-1].Heading
	if len(runs)+len(sessions) > 1 {
		p.Of = page.Plural(len(sessions), "session") + " and " + page.Plural(len(runs), "run")
		p.Heading = "SCAFFOLD-WATCH REPORTS"
	}
	return p
}

// link makes the names of sessions lead to their reports on the same page.
func link(d *doc.Document, sessions []Session, links map[string]string) {
	for i := range d.Parts {
		if d.Parts[i].Title != sessionsTitle {
			continue
		}
		for at, row := range d.Parts[i].Rows() {
			row[0].Link = links[sessions[at].ID]
		}
	}
}

// Report is the report in all its forms. Text and page have the reader's clock, what is handed on has UTC.
func Report(m Model, zone *time.Location) doc.Report {
	here := m
	here.Zone = zone
	return doc.Report{
		Of: "run " + m.Run.ID, Model: m, Screen: func() doc.Document { return Document(here) },
		Prescribed: func() doc.Document { return Document(m) }, Page: func() doc.Page { return Page(nil, here) },
	}
}
