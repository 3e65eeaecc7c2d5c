package doc

import (
	"fmt"
	"io"
)

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
