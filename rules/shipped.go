package rules

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed *.yaml
var files embed.FS

// shipped is embedded data, one file a section. A section is parsed when it is
// first read, and then shared: merging copies what it changes.
type shipped struct {
	names    []string // of the sections, sorted
	paths    []string // of the files, sorted
	texts    [][]byte // of the files, in order of their paths
	sections map[string]func() (*yaml.Node, error)
	overlay  []byte // of the secret rules
}

// embedded is the data of this package.
var embedded = sync.OnceValue(func() *shipped {
	data, err := open(files)
	if err != nil {
		panic(err) // the files are part of the program
	}
	return data
})

// open lists the sections of a file system without parsing them.
func open(from fs.FS) (*shipped, error) {
	paths, err := fs.Glob(from, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list embedded rules: %w", err)
	}
	slices.Sort(paths)
	out := &shipped{sections: map[string]func() (*yaml.Node, error){}, overlay: []byte(SecretsOverlay())}
	for _, path := range paths {
		data, err := fs.ReadFile(from, path)
		if err != nil {
			return nil, fmt.Errorf("read embedded rules %s: %w", path, err)
		}
		out.add(path, data)
	}
	slices.Sort(out.names)
	return out, nil
}

// add takes the next file.
func (s *shipped) add(path string, data []byte) {
	name := strings.TrimSuffix(path, ".yaml")
	s.names, s.paths, s.texts = append(s.names, name), append(s.paths, path), append(s.texts, data)
	s.sections[name] = sync.OnceValues(func() (*yaml.Node, error) { return parseSection(path, data) })
}

func parseSection(path string, data []byte) (*yaml.Node, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("embedded rules %s: %w", path, err)
	}
	if len(document.Content) == 0 {
		return nil, fmt.Errorf("embedded rules %s: the file is empty", path)
	}
	return document.Content[0], nil
}

// Text is the embedded text of a section, "" for one that there is not: for a reader that cannot
// wait until it is parsed.
func Text(section string) string {
	data, err := files.ReadFile(section + ".yaml")
	if err != nil {
		return ""
	}
	return string(data)
}
