package rules

import _ "embed"

//go:embed secrets.toml
var secretsOverlay string

// SecretsOverlay is the gitleaks configuration in TOML that extends the
// library's default rules (B1). It is not part of the sections a user overrides.
func SecretsOverlay() string { return secretsOverlay }
