package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// realSessions returns the transcripts of $SCAFFOLDWATCH_DATA or of ../shared/data next to the project,
// grouped by session; none if there is no such folder.
func realSessions() ([][]events.Event, error) {
	root := shareddata.Folder()
	if root == "" {
		return nil, nil
	}
	var sessions [][]events.Event
	err := filepath.WalkDir(filepath.Join(root, "transcripts"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		list, err := readTranscript(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		sessions = append(sessions, list...)
		return nil
	})
	return sessions, err
}

// readTranscript returns the sessions of one file, nil if it is not a transcript.
func readTranscript(path string) ([][]events.Event, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	source, err := all.Formats().Open(file, transcript.Options{})
	if errors.Is(err, transcript.ErrUnknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var sessions [][]events.Event
	places := map[string]int{}
	for {
		e, err := source.Next()
		if errors.Is(err, io.EOF) {
			return sessions, nil
		}
		if err != nil {
			return nil, err
		}
		if e, err = delivered(e); err != nil {
			return nil, err
		}
		at, known := places[e.Group()]
		if !known {
			at = len(sessions)
			places[e.Group()] = at
			sessions = append(sessions, nil)
		}
		sessions[at] = append(sessions[at], e)
	}
}
