package deployment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// OwnRulesPath returns the file of this person's rules, used when no setting names another; it is "" if the
// user has no configuration directory.
func OwnRulesPath() string {
	home, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "scaffoldwatch", "rules.yaml")
}

// OwnRules returns OwnRulesPath if the file exists, otherwise "". Commands and `up` use it; a service uses
// only what its configuration names.
func OwnRules() string {
	path := OwnRulesPath()
	if path == "" {
		return ""
	}
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// AddMute adds a mute to dispatch.mutes of a rules file, which it creates if necessary. Comments and
// everything else in the file are preserved. It fails without changing a file that does not load, before or
// afterwards.
func AddMute(path string, m budget.Mute) error {
	data, err := readFile(path, maxRules)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the rules file: %w", err)
	}
	text, set, err := rules.Added(path, data, "dispatch", "mutes", written(m))
	if err == nil {
		_, err = budget.LoadConfig(set)
	}
	if err != nil {
		return fmt.Errorf("add a mute to the rules file: %w", err)
	}
	return replace(path, text)
}

// writtenMute is the form of a mute in a rules file.
type writtenMute struct {
	Scope    string    `yaml:"scope"`
	Detector string    `yaml:"detector,omitempty"`
	Subject  string    `yaml:"subject,omitempty"`
	Reason   string    `yaml:"reason"`
	By       string    `yaml:"by"`
	Until    time.Time `yaml:"until,omitempty"`
	// Workspace is written only for a mute of one workspace.
	Workspace string `yaml:"workspace,omitempty"`
}

func written(m budget.Mute) writtenMute {
	return writtenMute{string(m.Scope), m.Detector, m.Subject, m.Reason, m.By, m.Until, m.Workspace}
}

// replace writes a file atomically, readable only by its owner.
func replace(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("create the folder of the rules file: %w", err)
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.WriteFile(path+".new", data, mode); err != nil {
		return fmt.Errorf("write the rules file: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("replace the rules file: %w", err)
	}
	return nil
}
