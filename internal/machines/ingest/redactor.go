package ingest

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Redactor returns the redactor of secrets (SW-7).
func Redactor(o deployment.Options) (*redact.Redactor, error) {
	config, err := secrets.LoadConfig(o.Rules)
	if err != nil {
		return nil, fmt.Errorf("load the secret rules: %w", err)
	}
	scanner, err := secrets.New(config, o.Key())
	if err != nil {
		return nil, fmt.Errorf("start the secret scanner: %w", err)
	}
	return redact.New(scanner, config.PathKeys), nil
}

// CleanText replaces the secrets in a text that is shown to people, as ingest does (SW-7); path is
// its file, which rules may match.
func CleanText(text, path string) (string, error) {
	redactor, err := Redactor(deployment.Options{Rules: rules.Default()})
	if err != nil {
		return "", fmt.Errorf("scan %s for secrets: %w", path, err)
	}
	clean, _ := redactor.Text(text, path)
	return clean, nil
}
