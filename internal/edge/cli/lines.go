package cli

import (
	"encoding/json"
	"fmt"
	"io"
)

// Indented writes data as indented JSON.
func Indented(out io.Writer, data any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(data)
}

// Readable writes data as indented JSON in which <, > and & stay as they are.
func Readable(out io.Writer, data any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(data)
}

// WriteLines writes each value as one line.
func WriteLines(out io.Writer, lines []string) error {
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}
