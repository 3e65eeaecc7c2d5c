package page

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

// Render writes a page in the reports' style. The bodies are HTML already; the title
// is escaped.
func Render(w io.Writer, title, heading string, bodies ...template.HTML) error {
	view := struct {
		Title, Heading, Policy string
		Style                  template.CSS
		Bodies                 []template.HTML
	}{title, heading, ContentPolicy, template.CSS(Stylesheet), bodies}
	var page bytes.Buffer
	if err := frame().ExecuteTemplate(&page, "page.gohtml", view); err != nil {
		return fmt.Errorf("render %s as HTML: %w", title, err)
	}
	if _, err := w.Write(Shown(page.Bytes())); err != nil {
		return fmt.Errorf("write %s: %w", title, err)
	}
	return nil
}

// Shown returns a page without the characters that steer how text is shown, wherever they came from.
func Shown(page []byte) []byte { return bytes.Map(visible, page) }

// visible drops characters that steer what is shown, wherever they came from:
// controls, and invisible ones that reorder text.
func visible(r rune) rune {
	if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}
