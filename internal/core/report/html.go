package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"unicode"
)

//go:embed page
var pageFiles embed.FS

// Stylesheet is the style of the HTML page, for light, dark and print.
var Stylesheet = mustRead("page/style.css")

// ContentPolicy lets a page load and run nothing but [Stylesheet] (EV-11).
var ContentPolicy = "default-src 'none'; style-src 'sha256-" + digest(Stylesheet) + "'; base-uri 'none'; form-action 'none'"

var htmlPage = template.Must(template.ParseFS(pageFiles, "page/page.gohtml"))

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
	view := struct {
		Title, Policy string
		Style         template.CSS
		Several       bool
		Sessions      []htmlSession
	}{Title: title(models), Policy: ContentPolicy, Style: template.CSS(Stylesheet), Several: len(models) > 1}
	for i, m := range models {
		view.Sessions = append(view.Sessions, newHTMLSession("s"+number(i+1), m, view.Several))
	}
	var page bytes.Buffer
	if err := htmlPage.ExecuteTemplate(&page, "page.gohtml", view); err != nil {
		return fmt.Errorf("render %s as HTML: %w", title(models), err)
	}
	if _, err := w.Write(bytes.Map(visible, page.Bytes())); err != nil {
		return fmt.Errorf("write %s: %w", title(models), err)
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
