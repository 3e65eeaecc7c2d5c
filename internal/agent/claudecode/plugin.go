package claudecode

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tailscale/hujson"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
)

// EnabledPlugin returns our plugin as the settings at that path name it, "" where it is not
// installed or switched off.
func EnabledPlugin(settings string) (string, error) {
	text, err := os.ReadFile(settings)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look for the plugin: %w", err)
	}
	if text, err = hujson.Standardize(text); err != nil {
		return "", fmt.Errorf("look for the plugin: %s: %w", settings, err)
	}
	var found struct {
		EnabledPlugins map[string]json.RawMessage `json:"enabledPlugins"`
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return "", fmt.Errorf("look for the plugin: %s: %w", settings, err)
	}
	for name, on := range found.EnabledPlugins {
		if install.IsPlugin(name) && string(on) != "false" && string(on) != "null" {
			return name, nil
		}
	}
	return "", nil
}
