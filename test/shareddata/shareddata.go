// Package shareddata finds the real transcripts and the labelled samples, which
// are never part of the repository.
package shareddata

import (
	"os"
	"path/filepath"
	"testing"
)

// Variable names the folder that holds `transcripts/` and `labels/`.
const Variable = "SCAFFOLDWATCH_DATA"

// Folder returns the variable's folder, or `shared/data` beside a folder above this one. It is "" where
// there is none.
func Folder() string {
	if folder := os.Getenv(Variable); folder != "" {
		return folder
	}
	folder, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		candidate := filepath.Join(folder, "shared", "data")
		if info, err := os.Stat(candidate); err == nil && info.IsDir() {
			return candidate
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return ""
		}
		folder = parent
	}
}

// Require returns Folder for a test that is skipped without it.
func Require(tb testing.TB) string {
	tb.Helper()
	folder := Folder()
	if folder == "" {
		tb.Skip("no transcripts or labels here: set " + Variable + " to the folder that holds them")
	}
	return folder
}
