package page

import (
	"encoding/json"
	"fmt"
	"io"
)

// JSON writes the model of a report, indented; an error says which it is of.
func JSON(w io.Writer, of string, model any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(model); err != nil {
		return fmt.Errorf("write %s as JSON: %w", of, err)
	}
	return nil
}
