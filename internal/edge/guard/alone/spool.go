package alone

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// maxSpooled limits how many decisions wait for the system; the oldest are dropped.
const maxSpooled = 1000

// Spool is the folder of decisions that no system has taken over yet: one file each, readable only by its
// owner and named after the event's id, so that each counts once.
type Spool struct{ Folder string }

const spoolEnding = ".event"

// Put stores an event.
func (s Spool) Put(e events.Event) error {
	data, err := events.MarshalStructured(e)
	if err != nil {
		return fmt.Errorf("keep a decision: %w", err)
	}
	if err := replace(filepath.Join(s.Folder, e.ID+spoolEnding), data); err != nil {
		return fmt.Errorf("keep a decision: %w", err)
	}
	names, err := s.names()
	for i := 0; err == nil && i < len(names)-maxSpooled; i++ {
		_ = os.Remove(filepath.Join(s.Folder, names[i]))
	}
	return nil
}

// names returns the files, oldest first.
func (s Spool) names() ([]string, error) {
	entries, err := os.ReadDir(s.Folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the decisions of hooks: %w", err)
	}
	age := map[string]int64{}
	var names []string
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasSuffix(e.Name(), spoolEnding) {
			age[e.Name()] = info.ModTime().UnixNano()
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if age[a] != age[b] {
			return int(min(max(age[a]-age[b], -1), 1))
		}
		return strings.Compare(a, b)
	})
	return names, nil
}

// Take passes each event to publish, oldest first, and removes it once that succeeded: after a crash in
// between, the same id is published again and counts once. Unreadable files are removed and reported; the
// first failure to publish ends it.
func (s Spool) Take(ctx context.Context, publish func(context.Context, events.Event) error) (taken int, err error) {
	names, err := s.names()
	if err != nil {
		return 0, err
	}
	var unread []error
	for _, name := range names {
		file := filepath.Join(s.Folder, name)
		data, err := os.ReadFile(file) //nolint:gosec // in our own folder
		if err != nil {
			continue // another instance took it
		}
		e, err := events.UnmarshalStructured(data)
		if err == nil {
			err = events.Validate(e, events.Limits{})
		}
		if err != nil {
			unread = append(unread, fmt.Errorf("the decision of a hook in %s cannot be read: %w", file, err))
			_ = os.Remove(file)
			continue
		}
		if err := publish(ctx, e); err != nil {
			return taken, errors.Join(append(unread, fmt.Errorf("take in the decision of a hook: %w", err))...)
		}
		_ = os.Remove(file)
		taken++
	}
	return taken, errors.Join(unread...)
}
