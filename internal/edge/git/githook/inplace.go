package githook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// If core.hooksPath is not set, the hooks are written where Git looks for them, and existing ones are kept
// beside them.

const (
	// backupSuffix marks a hook that was there before.
	backupSuffix = ".before-scaffoldwatch"
	// legacySuffix is what the pre-commit framework appends to a hook that it finds and then calls.
	legacySuffix = ".legacy"
)

func (r hooks) inPlace() string { return filepath.Join(r.Common, "hooks") }

// before returns the folder of the kept hooks under their own names, with the other
// files of their folder: some hooks check their own name or read files beside them.
func (r hooks) before() string { return filepath.Join(r.folder(), "before") }

// writeHooks writes all hooks in place.
func (r hooks) writeHooks(i, last *Installation) error {
	i.Ours, i.Kept = map[string]string{}, nil
	for _, name := range Names {
		theirs := `"${0%/*}/../scaffoldwatch/before/` + name + `" "${0%/*}/` + name + backupSuffix + `"`
		i.Ours[name] = script(i, name, theirs)
		path := filepath.Join(r.inPlace(), name)
		was := ""
		if last != nil {
			was = last.Ours[name]
		}
		at, err := place(path, was)
		if err != nil {
			return err
		}
		if err := write(at, []byte(i.Ours[name]), 0o755); err != nil {
			return err
		}
		if exists(path + backupSuffix) {
			i.Kept = append(i.Kept, name)
		}
	}
	return r.mirror(i.Kept)
}

// place makes room for a hook and returns what it did: nothing where ours was already, or it kept the
// existing one aside.
func place(path, was string) (string, error) {
	for _, at := range []string{path, path + legacySuffix} {
		if there, err := os.ReadFile(at); err == nil && was != "" && string(there) == was {
			return at, nil
		}
	}
	if !exists(path) {
		return path, nil
	}
	if exists(path + backupSuffix) {
		return "", fmt.Errorf("%s is not ours and %s exists; put one of the two away first", path, filepath.Base(path)+backupSuffix)
	}
	if err := os.Rename(path, path+backupSuffix); err != nil {
		return "", fmt.Errorf("keep the hook aside: %w", err)
	}
	return path, nil
}

// mirror links the kept hooks and the files beside them. A system without links runs them in place.
func (r hooks) mirror(kept []string) error {
	if err := os.RemoveAll(r.before()); err != nil {
		return fmt.Errorf("clear %s: %w", r.before(), err)
	}
	if len(kept) == 0 {
		return nil
	}
	if err := os.MkdirAll(r.before(), 0o755); err != nil {
		return fmt.Errorf("create a folder for the existing hooks: %w", err)
	}
	entries, err := os.ReadDir(r.inPlace())
	if err != nil {
		return fmt.Errorf("look at the hooks: %w", err)
	}
	for _, entry := range entries {
		name, was := strings.CutSuffix(entry.Name(), backupSuffix)
		if !was && (slices.Contains(Names, name) || strings.HasSuffix(name, ".sample")) {
			continue
		}
		if os.Symlink(filepath.Join("..", "..", "hooks", entry.Name()), filepath.Join(r.before(), name)) != nil {
			return nil
		}
	}
	return nil
}

// putBack restores one hook; if it cannot, why says what is left.
func (r hooks) putBack(i *Installation, name string) (why string, err error) {
	path := filepath.Join(r.inPlace(), name)
	for _, at := range []string{path, path + legacySuffix} {
		there, err := os.ReadFile(at)
		if err != nil || string(there) != i.Ours[name] {
			continue
		}
		if err := os.Remove(at); err != nil {
			return "", fmt.Errorf("remove the hook %s: %w", name, err)
		}
		return r.restore(i, name, path+backupSuffix, at)
	}
	switch {
	case exists(path) && exists(path+backupSuffix):
		return fmt.Sprintf("%s was changed by somebody else and stays; the original hook is %s", path, filepath.Base(path)+backupSuffix), nil
	case exists(path):
		return path + " was changed by somebody else and stays", nil
	}
	return r.restore(i, name, path+backupSuffix, path) // somebody took ours away
}

func (r hooks) restore(i *Installation, name, backup, at string) (why string, err error) {
	err = os.Rename(backup, at)
	switch {
	case err == nil:
		return "", nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("put the hook %s back: %w", name, err)
	case slices.Contains(i.Kept, name):
		return backup + " is gone, and with it the original hook", nil
	}
	return "", nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
