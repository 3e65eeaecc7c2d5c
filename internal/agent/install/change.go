package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Change is the planned change of one file.
type Change struct {
	Path     string   // the settings file; links are followed
	Existed  bool     // whether the file exists
	Before   []byte   // current content
	After    []byte   // new content
	Remove   bool     // the file is removed, since it has only our hooks
	Backup   string   // where the current file is kept, or ""
	Restored string   // the backup that is restored, and then removed, or ""
	Kept     string   // a backup that stays, since the file was changed after it, or ""
	Notes    []string // what a person still has to know or do

	backup []byte
}

// Empty reports whether nothing will happen.
func (c Change) Empty() bool { return !c.Remove && bytes.Equal(c.Before, c.After) }

// Diff returns the change as a unified diff, which may quote other content of the settings.
func (c Change) Diff() string {
	from, to := c.Path, c.Path
	if !c.Existed {
		from = os.DevNull
	}
	if c.Remove {
		to = os.DevNull
	}
	return udiff.Unified(from, to, string(c.Before), string(c.After))
}

// Lines returns how many lines are added and removed.
func (c Change) Lines() (added, removed int) {
	before, after := string(c.Before), string(c.After)
	for _, edit := range udiff.Lines(before, after) {
		added += lineCount(edit.New)
		removed += lineCount(before[edit.Start:edit.End])
	}
	return added, removed
}

// lineCount counts lines, an unfinished last one, too.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// ErrChanged is returned if the file was changed after it was read.
var ErrChanged = errors.New("the file was changed meanwhile; run the command again")

// Apply writes the backup and then the file, each atomically, so that an agent never reads half of it.
func (c Change) Apply() error {
	if c.Empty() {
		return nil
	}
	now, err := read(c.Path)
	if err != nil {
		return err
	}
	if now.exists != c.Existed || !bytes.Equal(now.data, c.Before) {
		return fmt.Errorf("%s: %w", c.Path, ErrChanged)
	}
	if c.Remove {
		if err := os.Remove(c.Path); err != nil {
			return fmt.Errorf("remove the settings: %w", err)
		}
		return nil
	}
	if err := c.write(); err != nil {
		return err
	}
	if c.Restored != "" {
		if err := os.Remove(c.Restored); err != nil {
			return fmt.Errorf("remove the backup: %w", err)
		}
	}
	return nil
}

func (c Change) write() error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(c.Path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o755); err != nil {
		return fmt.Errorf("create the folder of the settings: %w", err)
	}
	if c.Backup != "" {
		if err := replace(c.Backup, c.backup, mode); err != nil {
			return fmt.Errorf("keep a backup: %w", err)
		}
	}
	if err := replace(c.Path, c.After, mode); err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	return nil
}

// replace writes a temporary file and moves it into place.
func replace(path string, data []byte, mode fs.FileMode) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temporary.Name()) }() // already gone if all went well
	_, err = temporary.Write(data)
	err = errors.Join(err, temporary.Chmod(mode), temporary.Sync(), temporary.Close())
	if err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}
