package embedded

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// stagingRoot is a file system in memory, on platforms that have one.
const stagingRoot = "/dev/shm"

const stagingPrefix = "scaffoldwatch-"

// staging links the directories in which the server assembles atomic batches
// into memory; see the package comment.
type staging struct {
	root    string // the file system in memory
	streams string // the server's data directory
	log     *slog.Logger

	dir     string // in root, once made
	message sync.Once
}

// StageInMemory makes the server assemble the atomic batches of its streams in
// memory. Start does this for the streams that are there; call it again after
// new ones were made. If it cannot, the server stages on disk as it does by
// itself, which is logged once.
func (s *Server) StageInMemory() {
	err := s.staging.link()
	if err == nil && s.staging.dir == "" && s.hasStreams() {
		err = errors.New("the server's directories are not where this version expects them")
	}
	if err != nil {
		s.staging.fallBack(err)
	}
}

// link links the staging directory of every stream.
func (s *staging) link() error {
	places := s.places()
	if len(places) == 0 {
		return nil
	}
	if info, err := os.Stat(s.root); err != nil || !info.IsDir() {
		return fmt.Errorf("no file system in memory at %s", s.root)
	}
	if err := s.makeDir(); err != nil {
		return err
	}
	for _, place := range places {
		if err := s.linkOne(place); err != nil {
			return err
		}
	}
	return nil
}

// linkOne replaces an empty directory by a link; one in use stays.
func (s *staging) linkOne(place string) error {
	target := filepath.Join(s.dir, filepath.Base(filepath.Dir(place)))
	if now, err := os.Readlink(place); err == nil && now == target {
		return nil
	}
	if err := os.MkdirAll(target, 0o700); err != nil {
		return err
	}
	if err := os.Remove(place); err != nil && !os.IsNotExist(err) {
		return nil // a batch is being assembled there
	}
	return os.Symlink(target, place)
}

// fallBack gives the directories back to the disk and says so once.
func (s *staging) fallBack(err error) {
	s.unlink()
	s.message.Do(func() {
		if s.log != nil {
			s.log.Info("atomic batches are staged on disk, which makes each commit several milliseconds slower", "reason", err)
		}
	})
}

// places are the staging directories in the data directory, one a stream.
func (s *staging) places() []string {
	streams, _ := filepath.Glob(filepath.Join(s.streams, "jetstream", "*", "streams", "*"))
	for i := range streams {
		streams[i] = filepath.Join(streams[i], "batches")
	}
	return streams
}

// makeDir makes the directory in memory and notes it in the data directory, so
// that the next start can remove it if this process is killed.
func (s *staging) makeDir() error {
	if s.dir != "" {
		return nil
	}
	dir, err := os.MkdirTemp(s.root, stagingPrefix)
	if err != nil {
		return fmt.Errorf("make a directory in memory: %w", err)
	}
	if err := os.WriteFile(s.note(), []byte(dir), 0o600); err != nil {
		return errors.Join(fmt.Errorf("note the directory in memory: %w", err), os.RemoveAll(dir))
	}
	s.dir = dir
	return nil
}

func (s *staging) note() string { return filepath.Join(filepath.Dir(s.streams), "staging") }

// left returns the directory in memory that a server that was killed left, "" if
// there is none.
func (s *staging) left() string {
	note, err := os.ReadFile(s.note())
	dir := filepath.Clean(string(note))
	if err != nil || filepath.Dir(dir) != s.root || !strings.HasPrefix(filepath.Base(dir), stagingPrefix) {
		return ""
	}
	return dir
}

// unlink removes the links; the server makes directories in their place.
func (s *staging) unlink() {
	for _, place := range s.places() {
		if _, err := os.Readlink(place); err == nil {
			_ = os.Remove(place) // if it stays, the next start replaces it
		}
	}
}

// remove undoes everything, once the server has stopped.
func (s *staging) remove() error {
	if s.dir == "" {
		return nil
	}
	s.unlink()
	return os.RemoveAll(s.dir)
}
