package system

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// earlier is where `up` kept its data before it used a folder in the user's data directory.
const earlier = "scaffoldwatch-data"

// DataFolder returns the default folder for the data of `up`: in the user's data directory, never in the
// current one (CO-8).
func DataFolder(getenv func(string) string) (string, error) {
	base := getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(base) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find a folder for the data: %w; name one with --data", err)
		}
		switch runtime.GOOS {
		case "darwin":
			base = filepath.Join(home, "Library", "Application Support")
		case "windows":
			if base = getenv("LOCALAPPDATA"); base == "" {
				base = filepath.Join(home, "AppData", "Local")
			}
		default:
			base = filepath.Join(home, ".local", "share")
		}
	}
	return filepath.Join(base, "scaffoldwatch"), nil
}

// Earlier returns the folder below the current one in which an earlier version kept its data, "" if there
// is none.
func Earlier() string {
	if info, err := os.Stat(filepath.Join(earlier, "jetstream")); err == nil && info.IsDir() {
		return earlier
	}
	return ""
}

// KeepFromGit adds a .gitignore to a data folder inside a Git work tree, so that `git add -A` does not
// commit recordings (CO-8).
func KeepFromGit(folder string) error {
	whole, err := filepath.Abs(folder)
	if err != nil {
		return fmt.Errorf("find the data folder: %w", err)
	}
	if !inWorkTree(whole) {
		return nil
	}
	if err := os.MkdirAll(whole, 0o700); err != nil {
		return fmt.Errorf("create the data folder: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(whole, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("keep the data from Git: %w", err)
	}
	_, err = file.WriteString("*\n")
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("keep the data from Git: %w", err)
	}
	return nil
}

// inWorkTree reports whether a parent folder has a .git, which is a folder or a worktree's file.
func inWorkTree(folder string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
			return true
		}
		above := filepath.Dir(folder)
		if above == folder {
			return false
		}
		folder = above
	}
}
