// Package models opens the configured model. It links the providers' clients, which weigh megabytes, so
// only what runs an advisor imports it.
package models

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor/anthropic"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor/model"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor/openai"
)

// Open opens the configured model.
func Open(c config.Advisor) (model.Model, error) {
	if c.Provider != config.AdvisorAnthropic && c.Provider != config.AdvisorOpenAI {
		return model.Light(c)
	}
	key, err := readKey(c.Key)
	if err != nil {
		return nil, err
	}
	if c.Provider == config.AdvisorOpenAI {
		return openai.New(c.BaseURL, c.Model, key, c.Timeout)
	}
	return anthropic.New(c.BaseURL, c.Model, key, c.Timeout)
}

// readKey reads the key: $NAME is an environment variable, anything else must be an absolute path, so that
// a file in the working directory is never mistaken for a key (AD-6).
func readKey(setting string) (string, error) {
	if setting == "" {
		return "", nil
	}
	if name, is := strings.CutPrefix(setting, "$"); is {
		if value := os.Getenv(name); value != "" {
			return value, nil
		}
		return "", fmt.Errorf("advisor.key names the variable %s, which is empty; set it, or name a file", name)
	}
	if !filepath.IsAbs(setting) {
		return "", fmt.Errorf("advisor.key: must be $NAME or the absolute path of a file")
	}
	info, err := os.Stat(setting)
	if err != nil {
		return "", fmt.Errorf("read advisor.key: %w", err)
	}
	if info.Size() > maxKey {
		return "", fmt.Errorf("read advisor.key: the file has more than %d bytes, so it cannot be a key", maxKey)
	}
	data, err := os.ReadFile(setting)
	if err != nil {
		return "", fmt.Errorf("read advisor.key: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}

const maxKey = 4096
