package sessionreport

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"sync"
	"unicode"
)

//go:embed page
var pageFiles embed.FS

// Stylesheet is the style of the HTML page, for light, dark and print.
var Stylesheet = mustRead("page/style.css")

// ContentPolicy lets a page load and run nothing but [Stylesheet] (EV-11).
var ContentPolicy = "default-src 'none'; style-src 'sha256-" + digest(Stylesheet) + "'; base-uri 'none'; form-action 'none'"

var htmlPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(pageFiles, "page/page.gohtml"))
})

func mustRead(name string) string {
	text, err := pageFiles.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// RenderHTML writes the reports as one page that needs nothing else: no script,
// no network. One session stands open; of several each can be unfolded, below a
// table of all. The same models give the same bytes; an error is the writer's.
func RenderHTML(w io.Writer, models ...Model) error {
	body, err := HTMLBody(models...)
	if err != nil {
		return err
	}
	heading := "SCAFFOLD-WATCH SESSION REPORT"
	if len(models) > 1 {
		heading += "S"
	}
	return RenderPage(w, title(models), heading, body)
}

// HTMLBody is what a page says of the sessions, for pages that say more.
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

// SessionAnchor is where a page has the session at an index.
func SessionAnchor(index int) string { return "s" + number(index+1) }

// RenderPage writes a page of the reports' style: its bodies are HTML already,
// what names it is not.
func RenderPage(w io.Writer, title, heading string, bodies ...template.HTML) error {
	view := struct {
		Title, Heading, Policy string
		Style                  template.CSS
		Bodies                 []template.HTML
	}{Title: title, Heading: heading, Policy: ContentPolicy, Style: template.CSS(Stylesheet), Bodies: bodies}
	var page bytes.Buffer
	if err := htmlPage().ExecuteTemplate(&page, "page.gohtml", view); err != nil {
		return fmt.Errorf("render %s as HTML: %w", title, err)
	}
	if _, err := w.Write(bytes.Map(visible, page.Bytes())); err != nil {
		return fmt.Errorf("write %s: %w", title, err)
	}
	return nil
}

func title(models []Model) string {
	if len(models) == 1 {
		return "the report of session " + models[0].Session.ID
	}
	return "the report of " + plural(len(models), "session", "sessions")
}

// visible drops characters that steer what is shown, wherever they came from:
// controls, and invisible ones that reorder text.
func visible(r rune) rune {
	if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}
