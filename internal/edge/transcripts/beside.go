package transcripts

import (
	"io/fs"
	"os"
	"path/filepath"
)

// surroundings are the files around a transcript, for formats that keep part of
// what happened beside it. They are confined to the folder above the
// transcript's own, whatever its content or a link says.
type surroundings struct {
	folder string
	here   string // name of the transcript's own folder below it
	root   *os.Root
	used   map[string]bool // absolute names of files that were opened
}

// besides opens the surroundings of a file; nil where there are none.
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
		return nil // unreadable surroundings are none
	}
	return &surroundings{folder, filepath.Base(filepath.Dir(whole)), root, used}
}

// Open is the file called name, below the folder.
func (s *surroundings) Open(name string) (fs.File, error) {
	file, err := s.root.FS().Open(name)
	if err == nil {
		s.used[filepath.Join(s.folder, filepath.FromSlash(name))] = true
	}
	return file, err
}

// project is the name of the folder that an orchestrator keeps its own folder in.
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
