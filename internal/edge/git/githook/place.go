package githook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Installation is what the hooks need to know, kept in the repository. It names
// files that hold credentials, never what they hold.
type Installation struct {
	Run    string `json:"run"`
	Main   string `json:"main"` // the branch that agents keep off
	Base   string `json:"base,omitempty"`
	Binary string `json:"binary"` // that the hooks run
	Config string `json:"config,omitempty"`
	Server string `json:"server,omitempty"`
	// Attest makes each commit get an attestation as a Git note (AU-30).
	Attest bool `json:"attest,omitempty"`
	// Ours holds our hooks as written, by name.
	Ours map[string]string `json:"hooks"`
	// Kept lists the earlier hooks that were kept aside.
	Kept []string `json:"kept,omitempty"`
	// Path is the former core.hooksPath, if it was set.
	Path *hooksPath `json:"hooks_path,omitempty"`
	// Apart lists earlier worktrees, which do not belong to the run.
	Apart []string `json:"apart,omitempty"`
}

// ErrNotInstalled reports that the repository has none of our hooks.
var ErrNotInstalled = errors.New("no scaffoldwatch hooks are installed in this repository")

// errSettingsGone reports that somebody removed the hooks' settings.
var errSettingsGone = errors.New("hooks are installed, but their settings were deleted")

func (r *Repository) folder() string   { return filepath.Join(r.Common, "scaffoldwatch", r.room) }
func (r *Repository) settings() string { return filepath.Join(r.folder(), "hooks.json") }

// Spool is the folder where facts wait while the broker is out of reach.
func (r *Repository) Spool() string { return filepath.Join(r.folder(), "spool") }

// Installation reads what was installed. It fails with [ErrNotInstalled] if nothing is; hooks that have only
// lost their settings still count as installed, so that main is not left unguarded.
func (r *Repository) Installation() (*Installation, error) {
	data, err := os.ReadFile(r.settings())
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(trees{r}.knownFolder()); err == nil {
			return nil, fmt.Errorf("%s is gone; run `scaffoldwatch git-hook install` again: %w", r.settings(), errSettingsGone)
		}
		return nil, ErrNotInstalled
	}
	if err != nil {
		return nil, fmt.Errorf("read what the hooks know: %w", err)
	}
	var i Installation
	if err := json.Unmarshal(data, &i); err != nil {
		return nil, fmt.Errorf("read what the hooks know: %s: %w; run `scaffoldwatch git-hook install` again", r.settings(), err)
	}
	if !events.ValidID(i.Run) {
		return nil, fmt.Errorf("read the settings of the hooks: %s: %q is not a run id", r.settings(), i.Run)
	}
	return &i, nil
}

func (r *Repository) save(i *Installation) error {
	data, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return fmt.Errorf("keep what the hooks know: %w", err)
	}
	return write(r.settings(), append(data, '\n'), 0o600)
}

// write replaces a file as a whole.
func write(path string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".scaffoldwatch-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Chmod(mode), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(file.Name()))
	}
	return nil
}

// waves returns the worktrees that belong to the run: all except those without a wave's name that existed
// before the hooks or have main checked out.
func (i *Installation) waves(linked []Worktree) []Worktree {
	return slices.DeleteFunc(slices.Clone(linked), func(w Worktree) bool {
		return w.Letter == "" && (w.Branch == i.Main || slices.Contains(i.Apart, w.Path))
	})
}
