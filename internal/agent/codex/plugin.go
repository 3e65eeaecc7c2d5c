package codex

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
)

// EnabledPlugin returns our plugin as the config.toml beside the file of hooks names it, "" where it
// is not installed or switched off.
func EnabledPlugin(hooksFile string) (string, error) {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(hooksFile), "config.toml"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look for the plugin: %w", err)
	}
	name, found := "", ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			name = ""
			if rest, is := strings.CutPrefix(line, `[plugins."`); is {
				name, _, _ = strings.Cut(rest, `"]`)
			}
			if install.IsPlugin(name) {
				found = name // on unless it says otherwise
			}
		}
		if key, value, is := strings.Cut(line, "="); is && name != "" && name == found &&
			strings.TrimSpace(key) == "enabled" && strings.TrimSpace(value) == "false" {
			found = ""
		}
	}
	return found, nil
}
