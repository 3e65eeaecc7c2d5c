package runreport

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
)

//go:embed page/run.gohtml
var pageFiles embed.FS

var htmlRuns = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("run.gohtml").ParseFS(pageFiles, "page/run.gohtml"))
})

// htmlRun is one run as the page shows it.
type htmlRun struct {
	ID, Name, Identity, Goal, Ending, Period, Gap string
	Open                                          bool
	Figures                                       []figure
	Parts                                         []htmlPart
	Brief                                         string
}

type htmlPart struct {
	part
	Anchor string
	Links  map[string]string // of the first column: session → its place on the page
}

// RenderHTML writes runs, after the given sessions, as one self-contained page in the
// reports' style. Sessions on the page are linked.
func RenderHTML(w io.Writer, sessions []sessionreport.Model, runs ...Model) error {
	if len(runs) == 0 {
		return sessionreport.RenderHTML(w, sessions...)
	}
	var bodies []template.HTML
	if len(sessions) > 0 {
		body, err := sessionreport.HTMLBody(sessions...)
		if err != nil {
			return err
		}
		bodies = append(bodies, body)
	}
	body, err := htmlBody(sessions, runs)
	if err != nil {
		return err
	}
	title, head := "the report of run "+runs[0].Run.ID, heading
	if len(runs)+len(sessions) > 1 {
		title = "the report of " + page.Plural(len(sessions), "session", "sessions") + " and " + page.Plural(len(runs), "run", "runs")
		head = "SCAFFOLD-WATCH REPORTS"
	}
	return page.Render(w, title, head, append(bodies, body)...)
}

func htmlBody(sessions []sessionreport.Model, runs []Model) (template.HTML, error) {
	links := map[string]string{}
	for i, s := range sessions {
		links[s.Session.ID] = sessionreport.SessionAnchor(i)
	}
	several := len(runs)+len(sessions) > 1
	view := struct {
		Several bool
		Runs    []htmlRun
	}{Several: several}
	for i, m := range runs {
		one := newHTMLRun("r"+strconv.Itoa(i+1), m, links)
		one.Open = !several || !Quiet(m)
		view.Runs = append(view.Runs, one)
	}
	var out bytes.Buffer
	if err := htmlRuns().Execute(&out, view); err != nil {
		return "", fmt.Errorf("render %s as HTML: %w", page.Plural(len(runs), "run", "runs"), err)
	}
	return template.HTML(out.String()), nil
}

func newHTMLRun(id string, m Model, links map[string]string) htmlRun {
	one := htmlRun{
		ID: id, Name: "Run " + m.Run.ID, Identity: identity(m), Goal: passage(m.Run.Goal), Ending: ending(m), Period: period(m), Gap: notWatched(m),
		Figures: figures(m), Brief: stateText(m) + ", " + page.Plural(m.Run.Events, "event", "events"),
	}
	if m.Run.Lone {
		one.Name = "Session " + m.Run.ID + " as its own run"
	}
	for i, p := range layOut(m) {
		h := htmlPart{part: p, Anchor: id + "-" + strconv.Itoa(i+1)}
		if p.Title == "Sessions" {
			h.Links = links
		}
		one.Parts = append(one.Parts, h)
	}
	return one
}

// Nothing reports that the part has only its word for nothing.
func (p htmlPart) Nothing() bool { return p.nothing() }
