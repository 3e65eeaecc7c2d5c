// Package credential manages the keys by which people and programs on this machine log in to a system of
// `scaffoldwatch up` (EV-10). A key is an nkey seed in a file of its own, which the nats command line and
// every NATS client can read; the system itself knows only the public part.
package credential

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nkeys"
)

// Role determines what the holder of a key may do.
type Role string

// The roles; each has a file of its own.
const (
	Publisher Role = "publisher" // turns and run events in, decisions out: agents, loops, `publish`
	Infra     Role = "infra"     // facts about Git and worktrees: `git-hook`
	Operator  Role = "operator"  // a person's answers
	Admin     Role = "admin"     // everything, such as backups and purges with the nats command line
)

// Roles returns all roles.
func Roles() []Role { return []Role{Publisher, Infra, Operator, Admin} }

// directories returns where the keys may be: the configured directory, or the person's configuration
// directory, outside of every workspace. If that cannot be created, as in a container without a home, it is
// a directory of this user below the temporary directory.
func directories(configured string) []string {
	if configured != "" {
		return []string{configured}
	}
	place := filepath.Join("scaffoldwatch", "credentials")
	list := []string{filepath.Join(os.TempDir(), "user-"+strconv.Itoa(os.Getuid()), place)}
	if home, err := os.UserConfigDir(); err == nil {
		list = slices.Insert(list, 0, filepath.Join(home, place))
	}
	return list
}

// Directory returns the directory for new keys, and creates it.
func Directory(configured string) (string, error) {
	var problems []error
	for _, path := range directories(configured) {
		err := os.MkdirAll(path, 0o700)
		if err == nil {
			return path, nil
		}
		problems = append(problems, err)
	}
	return "", fmt.Errorf("create the directory of the credentials: %w", errors.Join(problems...))
}

// Find returns the file of a role's key, "" if there is none.
func Find(configured string, role Role) string {
	for _, directory := range directories(configured) {
		if info, err := os.Stat(File(directory, role)); err == nil && info.Mode().IsRegular() {
			return File(directory, role)
		}
	}
	return ""
}

// File returns the file of a role's key.
func File(directory string, role Role) string { return filepath.Join(directory, string(role)+".nk") }

// Keep creates the keys that a directory lacks and returns the public part of each. It fails if others can
// read a file.
func Keep(directory string) (map[Role]string, error) {
	public := map[Role]string{}
	for _, role := range Roles() {
		path := File(directory, role)
		err := write(path)
		if err == nil {
			public[role], err = publicKey(path)
		}
		if err != nil {
			return nil, fmt.Errorf("credential of the %s: %w", role, err)
		}
	}
	return public, nil
}

// write creates a key unless there is one. If two processes do so at once, one wins.
func write(path string) error {
	if _, err := os.Lstat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	pair, err := nkeys.CreateUser()
	if err != nil {
		return fmt.Errorf("create a key: %w", err)
	}
	seed, err := pair.Seed()
	if err != nil {
		return fmt.Errorf("create a key: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*") // 0600
	if err != nil {
		return fmt.Errorf("write a key: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.Write(append(seed, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("write a key: %w", err)
	}
	if err := os.Link(file.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write a key: %w", err)
	}
	return nil
}

// publicKey returns the public part of a key. It fails if others than the owner can read the file.
func publicKey(path string) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a regular file", path)
	case shared(info):
		return "", fmt.Errorf("%s can be read by others; run chmod 600 on it, or remove it to get a new one", path)
	}
	seed, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	pair, err := nkeys.FromSeed([]byte(strings.TrimSpace(string(seed))))
	if err != nil {
		return "", fmt.Errorf("%s contains no nkey seed; remove it to get a new one", path)
	}
	return pair.PublicKey()
}

// Same reports whether two files hold the same key; files without a key are never the same.
func Same(one, other string) bool {
	first, err := publicOf(one)
	if err != nil {
		return false
	}
	second, err := publicOf(other)
	return err == nil && first == second
}

func publicOf(path string) (string, error) {
	seed, err := os.ReadFile(path) //nolint:gosec // the person names it
	if err != nil {
		return "", fmt.Errorf("read a key: %w", err)
	}
	pair, err := nkeys.ParseDecoratedNKey(seed)
	if err != nil {
		return "", fmt.Errorf("read the key %s: %w", path, err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		return "", fmt.Errorf("read the key %s: %w", path, err)
	}
	return public, nil
}
