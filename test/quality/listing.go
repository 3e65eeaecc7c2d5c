package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeListing writes what was measured to a file. It refuses a file inside the
// data folder: root may write there whatever the modes of the files say.
func writeListing(data, path, text string) error {
	inside, err := within(data, path)
	if err != nil {
		return err
	}
	if inside {
		return fmt.Errorf("write the listing: %s is inside the data folder %s: name a file elsewhere", path, data)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write the listing: %w", err)
	}
	return nil
}

// within reports whether a path, links resolved, is inside a folder.
func within(folder, path string) (bool, error) {
	if folder == "" {
		return false, nil
	}
	root, err := resolved(folder)
	if err != nil {
		return false, err
	}
	file, err := resolved(path)
	if err != nil {
		return false, err
	}
	relative, err := filepath.Rel(root, file)
	if err != nil {
		return false, fmt.Errorf("compare %s with %s: %w", file, root, err)
	}
	return relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator)), nil
}

// resolved returns the absolute path without links; of a file not there yet, its folder's.
func resolved(path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("resolve %s: %w", path, err)
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		return real, nil
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil {
		return filepath.Join(folder, filepath.Base(full)), nil
	}
	return full, nil
}
