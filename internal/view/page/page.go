package page

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"sync"
	"unicode"
)

//go:embed page.gohtml figures.gohtml style.css
var files embed.FS

// Stylesheet is the style of the HTML page, for light, dark and print.
var Stylesheet = mustRead("style.css")

// ContentPolicy lets a page load and run nothing but [Stylesheet] (EV-11).
var ContentPolicy = "default-src 'none'; style-src 'sha256-" + digest(Stylesheet) + "'; base-uri 'none'; form-action 'none'"

var frame = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(files, "page.gohtml"))
})

func mustRead(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// LivePolicy is [ContentPolicy] for a page with forms, and a script that asks for news, all of the
// same server.
var LivePolicy = "default-src 'none'; style-src 'sha256-" + digest(Stylesheet) + "'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'"

// Frame is what stands around the content of a page.
type Frame struct {
	Title, Heading string
	Policy         string // "" is ContentPolicy
	Script         string // path of a script, "" for none
	Every          int    // seconds after which it is loaded again where no script runs; 0: never
	Skip           string // text of the link to the content, "" is that of a report
}

// Render writes a page in the reports' style. The bodies are HTML already; the title
// is escaped.
func Render(w io.Writer, title, heading string, bodies ...template.HTML) error {
	return Frame{Title: title, Heading: heading}.Render(w, bodies...)
}

// Render writes the page with its content, which is HTML already.
func (f Frame) Render(w io.Writer, bodies ...template.HTML) error {
	f.Policy, f.Skip = cmp.Or(f.Policy, ContentPolicy), cmp.Or(f.Skip, "Skip to the report")
	title := f.Title
	view := struct {
		Frame
		Style  template.CSS
		Bodies []template.HTML
	}{Frame: f, Style: template.CSS(Stylesheet), Bodies: bodies}
	var page bytes.Buffer
	if err := frame().ExecuteTemplate(&page, "page.gohtml", view); err != nil {
		return fmt.Errorf("render %s as HTML: %w", title, err)
	}
	if _, err := w.Write(bytes.Map(visible, page.Bytes())); err != nil {
		return fmt.Errorf("write %s: %w", title, err)
	}
	return nil
}

// visible drops characters that steer what is shown, wherever they came from:
// controls, and invisible ones that reorder text.
func visible(r rune) rune {
	if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}
