package transcripts

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

//go:embed places.yaml
var placesYAML []byte

// Place is the folder in which an agent keeps its transcripts.
type Place struct {
	Agent  string   `yaml:"agent"`
	Env    string   `yaml:"env"`
	Folder string   `yaml:"folder"`
	Files  []string `yaml:"files"`
}

// Places returns the places of all agents that keep transcripts on disk.
func Places() ([]Place, error) {
	var list []Place
	decoder := yaml.NewDecoder(bytes.NewReader(placesYAML))
	decoder.KnownFields(true)
	if err := decoder.Decode(&list); err != nil {
		return nil, fmt.Errorf("read the places of transcripts: %w", err)
	}
	return list, nil
}

// Known is a transcript in its agent's place.
type Known struct {
	Agent    string
	Path     string
	Modified time.Time
}

// Latest returns the transcripts of all agents below a home directory, most recently written first. It
// skips missing places and files that vanish.
func Latest(home string, getenv func(string) string) ([]Known, error) {
	places, err := Places()
	if err != nil {
		return nil, err
	}
	var found []Known
	for _, place := range places {
		folder := filepath.Join(home, place.Folder)
		if own := getenv(place.Env); place.Env != "" && own != "" {
			folder = own
		}
		below := os.DirFS(folder)
		for _, pattern := range place.Files {
			names, err := fs.Glob(below, pattern)
			if err != nil {
				return nil, fmt.Errorf("look for transcripts of %s: %w", place.Agent, err)
			}
			for _, name := range names {
				path := filepath.Join(folder, filepath.FromSlash(name))
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
					found = append(found, Known{place.Agent, path, info.ModTime()})
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Known) int { return b.Modified.Compare(a.Modified) })
	return found, nil
}

// With returns the paths of a transcript and of what belongs to it: the folder with the same name, if there
// is one.
func (k Known) With() []string {
	paths := []string{k.Path}
	beside := strings.TrimSuffix(k.Path, filepath.Ext(k.Path))
	if info, err := os.Stat(beside); err == nil && info.IsDir() {
		paths = append(paths, beside)
	}
	return paths
}

// maxOpening limits how many events are read to learn where a session takes place.
const maxOpening = 3

// Opening returns how a transcript's session was opened; nil if its first events do not show that.
func (k Known) Opening() *sessionevents.SessionOpened {
	file, err := os.Open(k.Path)
	if err != nil {
		return nil
	}
	defer file.Close()
	source, err := all.Formats().Open(file, transcript.Options{})
	if err != nil {
		return nil
	}
	for range maxOpening {
		e, err := source.Next()
		if errors.Is(err, io.EOF) || err != nil {
			return nil
		}
		if opened, ok := e.Data.(*sessionevents.SessionOpened); ok {
			return opened
		}
	}
	return nil
}
