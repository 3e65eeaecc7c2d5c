// Package measure measures the detectors on real transcripts, which are not part
// of the repository: its tests skip where the data is absent.
package measure

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Transcripts returns the transcript files below a data folder, sorted.
func Transcripts(data string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(filepath.Join(data, "transcripts"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list transcripts: %w", err)
	}
	return out, nil
}

// weakFolder holds the sessions of a weak model that mostly failed.
const weakFolder = "terminal-bench"

// OfWeakModel reports whether a transcript is one of a weak model; the others are of competent agents.
func OfWeakModel(path string) bool { return strings.Contains(path, weakFolder) }

// longFolder holds long sessions with many objections by people.
const longFolder = "claude-code-long"

// OfLongSession reports whether a transcript is one of the long ones, with many objections of people.
func OfLongSession(path string) bool { return strings.Contains(path, longFolder) }

// ReadEvents returns a transcript's input events in order, none if the file is not
// a transcript.
func ReadEvents(path string) ([]events.Event, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open transcript: %w", err)
	}
	defer file.Close()
	source, err := all.Formats().Open(file, transcript.Options{})
	if errors.Is(err, transcript.ErrUnknown) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	var out []events.Event
	for {
		ev, err := source.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, fmt.Errorf("read %s: %w", filepath.Base(path), err)
		}
		out = append(out, ev)
	}
}
