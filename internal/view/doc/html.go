package doc

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

//go:embed page.gohtml document.gohtml style.css
var files embed.FS

// Stylesheet is the style of the HTML page, for light, dark and print.
var Stylesheet = mustRead("style.css")

// ContentPolicy lets a page load and run nothing but [Stylesheet] (EV-11).
var ContentPolicy = "default-src 'none'; style-src 'sha256-" + digest(Stylesheet) +
	"'; base-uri 'none'; form-action 'none'"

var frame = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(files, "page.gohtml", "document.gohtml"))
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

// Page is documents on one HTML page.
type Page struct {
	// Of names the page in errors and in the browser's title.
	Of      string
	Heading string
	// Lead comes before the documents, such as a table of them.
	Lead      []Block
	Documents []Document
}

// shownDocument is a document as the page shows it.
type shownDocument struct {
	Document
	Contents, First, Explained []shownPart
}

// shownPart is a part with its place on the page.
type shownPart struct {
	Part
	Anchor string
}

// WriteHTML writes one page that needs nothing else: no script, no network. A single document is
// shown open; several can each be unfolded. html/template escapes what the texts say, and what
// steers how text is shown is dropped. The same page gives the same bytes.
func WriteHTML(w io.Writer, p Page) error {
	view := struct {
		Page
		Policy    string
		Style     template.CSS
		Several   bool
		Documents []shownDocument
	}{Page: p, Policy: ContentPolicy, Style: template.CSS(Stylesheet), Several: len(p.Documents) > 1}
	for i := range p.Documents {
		view.Documents = append(view.Documents, shownOn(&p.Documents[i], i))
	}
	var text bytes.Buffer
	if err := frame().ExecuteTemplate(&text, "page.gohtml", view); err != nil {
		return fmt.Errorf("render the report of %s as HTML: %w", p.Of, err)
	}
	if _, err := w.Write(Shown(text.Bytes())); err != nil {
		return fmt.Errorf("write the report of %s: %w", p.Of, err)
	}
	return nil
}

// fewParts is how many parts need no list of contents.
const fewParts = 3

func shownOn(d *Document, at int) shownDocument {
	s := shownDocument{Document: *d}
	s.Lead = HTML.in(d.Lead)
	if s.Anchor == "" {
		s.Anchor = "d" + strconv.Itoa(at+1)
	}
	for i, p := range d.Parts {
		if !p.in(HTML) {
			continue
		}
		p.Blocks = HTML.in(p.Blocks)
		if p.Key == "" {
			p.Key = strconv.Itoa(i + 1)
		}
		one := shownPart{p, s.Anchor + "-" + p.Key}
		if p.Explain {
			s.Explained = append(s.Explained, one)
		} else {
			s.First = append(s.First, one)
		}
	}
	if len(s.First) > fewParts {
		s.Contents = s.First
	}
	return s
}

// Words are the paragraph without its label.
func (p *Paragraph) Words() string {
	if p.Form != "" {
		return p.said(page.Plain)
	}
	return p.Text
}

// Marked is the card's mark.
func (c *Card) Marked() string { return strings.TrimSpace(c.Mark) }

// Label names the table for a screen reader.
func (t *Table) Label() string {
	if t.Caption != "" {
		return t.Caption
	}
	return strings.Join(t.Columns, ", ")
}

// Shown returns a page without the characters that steer how text is shown, wherever they came from.
func Shown(page []byte) []byte { return bytes.Map(visible, page) }

// visible drops characters that steer what is shown, wherever they came from: controls, and
// invisible ones that reorder text.
func visible(r rune) rune {
	if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}

// SVG draws the bar alone.
func (b *Bar) SVG() template.HTML {
	if b.Total == 0 {
		return ""
	}
	var text strings.Builder
	if err := frame().ExecuteTemplate(&text, "bar", b); err != nil {
		panic(err) // the template is ours, the figures are numbers
	}
	return template.HTML(text.String())
}

// Report is a report in all its forms; each is laid out when it is asked for.
type Report struct {
	Of    string
	Model any // its JSON form
	// Screen is its text; Prescribed its Markdown, where that is another one.
	Screen, Prescribed func() Document
	Page               func() Page
}

// Write writes the report as "text", "md", "html" or "json". Another form is an error.
func (r Report) Write(w io.Writer, form string, s Screen) error {
	switch form {
	case "text":
		return WriteText(w, r.Screen(), s)
	case "md":
		if r.Prescribed != nil {
			return WriteMarkdown(w, r.Prescribed())
		}
		return WriteMarkdown(w, r.Screen())
	case "html":
		return WriteHTML(w, r.Page())
	case "json":
		return WriteJSON(w, r.Of, r.Model)
	}
	return fmt.Errorf("the report of %s has no form %q", r.Of, form)
}
