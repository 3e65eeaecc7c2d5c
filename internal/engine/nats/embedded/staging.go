package embedded

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
// when there are new ones, which nats.Provision makes. Making
// and syncing that place on disk costs 4 to 5 ms a batch, about ten times what
// the batch itself costs. What is acknowledged is still synced to disk first.
// The place is read again only after a crash in the middle of a commit: it
// survives that of the process; after that of the machine the part of the batch
// that is there has no checkpoint, and no reader accepts it (EV-6).
//
// Where there is no file system in memory it does nothing.
func (s *Server) StageInMemory() error {
	if info, err := os.Stat(stagingRoot); err != nil || !info.IsDir() {
		s.unlink() // of a start that had one
		return nil
	}
	links := s.stagingLinks()
	if len(links) == 0 {
		return nil
	}
	if err := s.makeStaging(); err != nil {
		return fmt.Errorf("make a staging directory in memory: %w", err)
	}
	for _, link := range links {
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

// makeStaging makes the directory in memory and notes it in the data directory,
// for the next start to remove if this process is killed.
func (s *Server) makeStaging() (err error) {
	if s.staging != "" {
		return nil
	}
	if s.staging, err = os.MkdirTemp(stagingRoot, stagingPrefix); err != nil {
		return err
	}
	return os.WriteFile(s.stagingNote(), []byte(s.staging), 0o600)
}

func (s *Server) stagingNote() string { return filepath.Join(filepath.Dir(s.dir), "staging") }

// oldStaging is the directory in memory that a server that was killed left, or
// empty.
func (s *Server) oldStaging() string {
	note, err := os.ReadFile(s.stagingNote())
	dir := filepath.Clean(string(note))
	if err != nil || filepath.Dir(dir) != stagingRoot || !strings.HasPrefix(filepath.Base(dir), stagingPrefix) {
		return ""
	}
	return dir
}

// unlink gives the places back to the disk.
func (s *Server) unlink() {
	for _, place := range s.stagingLinks() {
		if _, err := os.Readlink(place); err == nil {
			_ = os.Remove(place) // if it stays, the next start replaces it
		}
	}
}
