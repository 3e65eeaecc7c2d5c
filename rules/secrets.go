package rules

import _ "embed"

//go:embed secrets.toml
var secretsOverlay string

// SecretsOverlay returns the gitleaks configuration in TOML that extends the library's
// default rules (B1). It is not part of the sections that a user can override.
func SecretsOverlay() string { return secretsOverlay }
