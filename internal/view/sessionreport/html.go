package sessionreport

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

//go:embed page/sessions.gohtml
var pageFiles embed.FS

var htmlPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(pageFiles, "page/sessions.gohtml"))
})

// RenderHTML writes the reports as one self-contained page: no script, no network. A
// single session is shown open; several can each be unfolded, below a table of all.
// The same models give the same bytes; an error is the writer's.
func RenderHTML(w io.Writer, models ...Model) error {
	body, err := HTMLBody(models...)
	if err != nil {
		return err
	}
	heading := "SCAFFOLD-WATCH SESSION REPORT"
	if len(models) > 1 {
		heading += "S"
	}
	return page.Render(w, title(models), heading, body)
}

// HTMLBody returns the sessions' part of a page, for pages that hold more.
func HTMLBody(models ...Model) (template.HTML, error) {
	view := struct {
		Several  bool
		Sessions []htmlSession
	}{Several: len(models) > 1}
	for i, m := range models {
		view.Sessions = append(view.Sessions, newHTMLSession(SessionAnchor(i), m, view.Several))
	}
	var body bytes.Buffer
	if err := htmlPage().ExecuteTemplate(&body, "sessions", view); err != nil {
		return "", fmt.Errorf("render %s as HTML: %w", title(models), err)
	}
	return template.HTML(body.String()), nil
}

// SessionAnchor returns the anchor of the session at an index.
func SessionAnchor(index int) string { return "s" + number(index+1) }

func title(models []Model) string {
	if len(models) == 1 {
		return "the report of session " + models[0].Session.ID
	}
	return "the report of " + page.Plural(len(models), "session", "sessions")
}
