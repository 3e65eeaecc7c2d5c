package natsio

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// stagingRoot is a file system in memory, where there is one.
const stagingRoot = "/dev/shm"

const stagingPrefix = "scaffoldwatch-"

// StageInMemory moves the place where the server puts an atomic batch together
// into memory. The start does it for the streams that are there; call it again
// when there are new ones, which [Provision] makes. Making
// and syncing that place on disk costs 4 to 5 ms a batch, about ten times what
// the batch itself costs. What is acknowledged is still synced to disk first.
// The place is read again only after a crash in the middle of a commit: it
// survives that of the process; after that of the machine the part of the batch
// that is there has no checkpoint, and no reader accepts it (EV-6).
//
// Where there is no file system in memory it does nothing.
func (s *Server) StageInMemory() error {
	if info, err := os.Stat(stagingRoot); err != nil || !info.IsDir() {
		return nil
	}
	if s.staging == "" {
		dir, err := os.MkdirTemp(stagingRoot, stagingPrefix)
		if err != nil {
			return fmt.Errorf("make a staging directory in memory: %w", err)
		}
		s.staging = dir
	}
	for _, link := range s.stagingLinks() {
		if err := s.link(link); err != nil {
			return fmt.Errorf("stage atomic batches in memory: %w", err)
		}
	}
	return nil
}

// stagingLinks are the places in the data directory, one a stream.
func (s *Server) stagingLinks() []string {
	streams, _ := filepath.Glob(filepath.Join(s.dir, "jetstream", "*", "streams", "*"))
	for i := range streams {
		streams[i] = filepath.Join(streams[i], "batches")
	}
	return streams
}

// link replaces an empty place by a link; one in use stays.
func (s *Server) link(place string) error {
	target := filepath.Join(s.staging, filepath.Base(filepath.Dir(place)))
	if now, err := os.Readlink(place); err == nil && now == target {
		return nil
	}
	if err := os.MkdirAll(target, 0o700); err != nil {
		return err
	}
	if err := os.Remove(place); err != nil && !os.IsNotExist(err) {
		return nil // a batch is under way there
	}
	return os.Symlink(target, place)
}

// oldStaging are the directories in memory that a server that was killed left.
func (s *Server) oldStaging() []string {
	var dirs []string
	for _, place := range s.stagingLinks() {
		target, err := os.Readlink(place)
		if err == nil && strings.HasPrefix(target, filepath.Join(stagingRoot, stagingPrefix)) {
			dirs = append(dirs, filepath.Dir(target))
		}
	}
	return dirs
}
