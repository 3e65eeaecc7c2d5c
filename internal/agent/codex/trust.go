package codex

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Untrusted returns the events in a file of hooks that Codex does not run yet, because the person never
// approved them: Codex stores approvals in the config.toml next to the file, by file, event and position
// (hooks.state). Only Codex can tell whether an approved hook has changed since.
func Untrusted(hooksFile string, events []string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(hooksFile), "config.toml"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look whether Codex trusts its hooks: %w", err)
	}
	approved, key := map[string]bool{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			key = ""
			if rest, is := strings.CutPrefix(line, `[hooks.state."`); is {
				key, _, _ = strings.Cut(rest, `"]`)
			}
		}
		name, value, _ := strings.Cut(line, "=")
		switch strings.TrimSpace(name) {
		case "trusted_hash":
			approved[key] = approved[key] || strings.Trim(value, ` "`) != ""
		case "enabled":
			if strings.TrimSpace(value) == "false" {
				approved[key] = false
			}
		}
	}
	var out []string
	for _, event := range events {
		found := false
		for key, is := range approved {
			found = found || is && strings.HasPrefix(key, hooksFile+":"+snake(event)+":")
		}
		if !found {
			out = append(out, event)
		}
	}
	return out, nil
}

// snake returns PreToolUse as pre_tool_use.
func snake(event string) string {
	var out strings.Builder
	for k, c := range event {
		if c >= 'A' && c <= 'Z' {
			if k > 0 {
				out.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		out.WriteRune(c)
	}
	return out.String()
}
