package page

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"sync"
)

// Figures is a page of figures and charts. Its parts are three templates: "title", "style" and
// "content".
type Figures struct{ parse func() *template.Template }

// NewFigures returns a page with these parts; it panics at first use if they are not templates.
func NewFigures(parts string) Figures {
	return Figures{sync.OnceValue(func() *template.Template {
		frame := template.Must(template.ParseFS(files, "figures.gohtml"))
		return template.Must(frame.New("parts").Parse(parts))
	})}
}

// Render writes the page, which needs nothing else: no script, no network. html/template
// escapes what data says, and what steers how text is shown is dropped.
func (f Figures) Render(w io.Writer, data any) error {
	var text bytes.Buffer
	if err := f.parse().ExecuteTemplate(&text, "figures.gohtml", data); err != nil {
		return fmt.Errorf("render figures as HTML: %w", err)
	}
	if _, err := w.Write(Shown(text.Bytes())); err != nil {
		return fmt.Errorf("write figures: %w", err)
	}
	return nil
}
