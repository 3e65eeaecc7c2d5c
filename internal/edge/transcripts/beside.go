package transcripts

import (
	"io/fs"
	"os"
	"path/filepath"
)

// surroundings gives access to the files around a transcript, for formats that keep part of it in other
// files. It is confined to the parent of the transcript's folder, whatever the content or a link says.
type surroundings struct {
	folder string
	here   string // name of the transcript's own folder in it
	root   *os.Root
	used   map[string]bool // absolute names of files that were opened
}

// besides opens the surroundings of a file; nil if there are none.
func besides(path string, used map[string]bool) *surroundings {
	if path == "" {
		return nil
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	folder := filepath.Dir(filepath.Dir(whole))
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil // unreadable surroundings count as none
	}
	return &surroundings{folder, filepath.Base(filepath.Dir(whole)), root, used}
}

// Open opens a file below the folder.
func (s *surroundings) Open(name string) (fs.File, error) {
	file, err := s.root.FS().Open(name)
	if err == nil {
		s.used[filepath.Join(s.folder, filepath.FromSlash(name))] = true
	}
	return file, err
}

// project returns the name of the folder that contains an orchestrator's own folder.
func (s *surroundings) project() string {
	if filepath.Base(s.folder) != ".archeflow" {
		return ""
	}
	return filepath.Base(filepath.Dir(s.folder))
}

func (s *surroundings) close() {
	if s != nil {
		_ = s.root.Close() // it was only read
	}
}
