package sessionreport

import (
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// RenderJSON writes the model, indented, with its schema version.
func RenderJSON(w io.Writer, m Model) error {
	return page.JSON(w, "the report of session "+m.Session.ID, m)
}
