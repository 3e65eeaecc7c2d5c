package sessionreport

import (
	"encoding/json"
	"fmt"
	"io"
)

// RenderJSON writes the model, indented, with its schema version.
func RenderJSON(w io.Writer, m Model) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(m); err != nil {
		return fmt.Errorf("write the report of session %s as JSON: %w", m.Session.ID, err)
	}
	return nil
}
