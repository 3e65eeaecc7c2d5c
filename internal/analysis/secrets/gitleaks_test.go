package secrets

import (
	"fmt"
	"strings"
	"sync"

	"github.com/rs/zerolog"
	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/logging"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// provider is gitleaks with our overlay, from which the table is generated, compiled once per process: the library
// reads its configuration through a global viper and counts extensions globally.
var provider = sync.OnceValues(func() (*detect.Detector, error) {
	logging.Logger = zerolog.Nop() // it would log secrets at trace level
	reader := viper.New()
	reader.SetConfigType("toml")
	if err := reader.ReadConfig(strings.NewReader(rules.SecretsOverlay())); err != nil {
		return nil, fmt.Errorf("read the gitleaks overlay: %w", err)
	}
	var raw config.ViperConfig
	if err := reader.Unmarshal(&raw); err != nil {
		return nil, fmt.Errorf("decode the gitleaks overlay: %w", err)
	}
	translated, err := raw.Translate()
	if err != nil {
		return nil, fmt.Errorf("compile the gitleaks rules: %w", err)
	}
	detector := detect.NewDetector(translated)
	detector.IgnoreGitleaksAllow = true // the agent's own comment must not excuse it
	return detector, nil
})
