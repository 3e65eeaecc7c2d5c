package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Consents are the commands that a person allowed in a repository, stored in a file in the user's
// configuration directory, so that no repository can bring its own. A command that changes has to be
// allowed again.
type Consents struct{ File string }

// consent is one allowed command.
type consent struct {
	Folder  string `json:"folder"`
	Command string `json:"command"`
}

// maxConsents limits the size of the file.
const maxConsents = 1000

// Default returns the user's file of consents.
func Default() (Consents, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return Consents{}, fmt.Errorf("find your configuration directory: %w", err)
	}
	return Consents{filepath.Join(folder, "scaffoldwatch", "checks.json")}, nil
}

func (c Consents) read() (list []consent, err error) {
	text, err := os.ReadFile(c.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("read what may run: %s: %w", c.File, err)
	}
	return list, nil
}

// Given reports whether a command may run in a folder.
func (c Consents) Given(folder string, command Command) (bool, error) {
	list, err := c.read()
	return slices.Contains(list, consent{folder, command.Line()}), err
}

// Give records that a command may run in a folder.
func (c Consents) Give(folder string, command Command) error {
	list, err := c.read()
	if err != nil {
		return err
	}
	list = append(list, consent{folder, command.Line()})
	text, err := json.MarshalIndent(list[max(0, len(list)-maxConsents):], "", "  ")
	if err != nil {
		return fmt.Errorf("remember what may run: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(c.File), 0o700); err != nil {
		return fmt.Errorf("remember what may run: %w", err)
	}
	temporary := c.File + ".new"
	if err := os.WriteFile(temporary, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("remember what may run: %w", err)
	}
	if err := os.Rename(temporary, c.File); err != nil {
		return fmt.Errorf("remember what may run: %w", err)
	}
	return nil
}
