package readmodel

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// errDamaged says that SQLite's own check found damage.
var errDamaged = errors.New("damaged")

// broken reports an error that only another file cures.
func broken(err error) bool {
	if errors.Is(err, errDamaged) {
		return true
	}
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return false
	}
	primary := failure.Code() & 0xff
	return primary == sqlite3.SQLITE_NOTADB || primary == sqlite3.SQLITE_CORRUPT
}

// asideMark follows the name of the file in the names of broken ones.
const asideMark = ".broken-"

// moveAside renames a database with its companions and returns the new name.
func moveAside(path string) (string, error) {
	aside := path + asideMark + time.Now().UTC().Format("20060102T150405.000")
	if err := os.Rename(path, aside); err != nil {
		return "", fmt.Errorf("move the broken read model aside: %w", err)
	}
	for _, companion := range []string{"-wal", "-shm"} {
		if err := os.Rename(path+companion, aside+companion); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("move the broken read model aside: %w", err)
		}
	}
	return aside, nil
}

// removeAside removes what was moved aside.
func removeAside(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("list broken read models: %w", err)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), filepath.Base(path)+asideMark) {
			continue
		}
		if err := os.Remove(filepath.Join(filepath.Dir(path), entry.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove a broken read model: %w", err)
		}
	}
	return nil
}
