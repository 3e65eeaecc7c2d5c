package alone

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/once"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Limits of what is remembered.
const (
	memoryAge   = 24 * time.Hour
	maxMemories = 500
	maxHashes   = 4096
	live        = 2 * time.Hour // for another session at work in the same workspace
	maxOthers   = 32
)

// memory is what the hooks of one session leave for later ones while no system is running. Files are stored
// as hashes of their paths.
type memory struct {
	Session   string    `json:"session"`
	Workspace string    `json:"workspace,omitempty"`
	Seen      bool      `json:"seen,omitempty"` // the worktree was inspected before the session wrote anything
	Before    []string  `json:"before,omitempty"`
	Wrote     []string  `json:"wrote,omitempty"`
	Calls     int       `json:"calls,omitempty"`
	Last      time.Time `json:"last,omitzero"`
	// Denied are the denials that a person can lift (GD-11).
	Denied once.Pending `json:"denied,omitempty"`
}

// store is the folder of the sessions' memories.
type store struct{ folder string }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

func (s store) file(session string) string {
	return filepath.Join(s.folder, hash(session)+".json")
}

// read returns the memory of a session, an empty one if there is none.
func (s store) read(session string) memory {
	m := memory{Session: session}
	data, err := os.ReadFile(s.file(session))
	if err != nil {
		return m
	}
	var kept memory
	if json.Unmarshal(data, &kept) != nil || kept.Session != session {
		return m
	}
	return kept
}

// write stores a memory. If it fails, the memory is gone, and the guard then says that it does not know.
func (s store) write(m memory, now time.Time) error {
	m.Last = now
	m.Before, m.Wrote = text.Newest(m.Before, maxHashes), text.Newest(m.Wrote, maxHashes)
	data, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("remember session %s: %w", m.Session, err)
	}
	if err := replace(s.file(m.Session), data); err != nil {
		return fmt.Errorf("remember session %s: %w", m.Session, err)
	}
	return nil
}

// others returns the memories of other sessions that were recently at work in a workspace.
func (s store) others(session, workspace string, now time.Time) (list []memory) {
	for _, file := range s.recent(now, live) {
		data, err := os.ReadFile(file) //nolint:gosec // in our own folder
		var m memory
		if err != nil || json.Unmarshal(data, &m) != nil || m.Session == session || m.Workspace != workspace {
			continue
		}
		if list = append(list, m); len(list) == maxOthers {
			break
		}
	}
	return list
}

// recent returns the files of memories younger than age, newest first.
func (s store) recent(now time.Time, age time.Duration) []string {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return nil
	}
	type one struct {
		name string
		at   time.Time
	}
	var all []one
	for _, e := range entries {
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == ".json" && now.Sub(info.ModTime()) < age {
			all = append(all, one{filepath.Join(s.folder, e.Name()), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b one) int { return b.at.Compare(a.at) })
	var names []string
	for _, o := range all[:min(len(all), maxMemories)] {
		names = append(names, o.name)
	}
	return names
}

// tidy removes memories that are no longer needed.
func (s store) tidy(now time.Time) {
	keep := s.recent(now, memoryAge)
	entries, err := os.ReadDir(s.folder)
	if err != nil || len(keep) == len(entries) {
		return
	}
	for _, e := range entries {
		if name := filepath.Join(s.folder, e.Name()); !slices.Contains(keep, name) {
			_ = os.Remove(name)
		}
	}
}

// replace writes a file that only its owner can read, atomically.
func replace(name string, data []byte) error {
	folder := filepath.Dir(name)
	file, err := os.CreateTemp(folder, ".new-")
	if errors.Is(err, os.ErrNotExist) {
		if err = os.MkdirAll(folder, 0o700); err != nil {
			return fmt.Errorf("make %s: %w", folder, err)
		}
		file, err = os.CreateTemp(folder, ".new-")
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
