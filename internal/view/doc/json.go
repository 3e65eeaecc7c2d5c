package doc

import (
	"encoding/json"
	"fmt"
	"io"
)

// WriteJSON writes the model of a report, indented; the error names what it is of.
func WriteJSON(w io.Writer, of string, model any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(model); err != nil {
		return fmt.Errorf("write the report of %s as JSON: %w", of, err)
	}
	return nil
}
