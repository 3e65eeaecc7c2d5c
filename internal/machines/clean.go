package machines

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// CleanText replaces the secrets in a text that is shown to people, as ingest
// does (SW-7); path is the file it stands in, which rules look at.
func CleanText(text, path string) (string, error) {
	redactor, err := newRedactor(Options{Rules: rules.Default()})
	if err != nil {
		return "", fmt.Errorf("look for secrets in %s: %w", path, err)
	}
	clean, _ := redactor.Text(text, path)
	return clean, nil
}
