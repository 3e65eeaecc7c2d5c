package rules

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed *.yaml guard/*.yaml advisor/*.yaml
var files embed.FS

//go:embed secrets.toml
var secretsOverlay string

// SecretsOverlay returns the gitleaks configuration in TOML that extends the library's
// default rules (B1). It is not part of the sections that a user can override.
func SecretsOverlay() string { return secretsOverlay }

// parts are files that add to a section: the packs of the guard, one file each (GD-9),
// and the instructions for models (AD-6).
var parts = map[string]string{"destruct": "guard/*.yaml", "advisor": "advisor/*.yaml"}

// shipped is embedded data, one file per section. A section is parsed on first use and
// then shared: merging copies what it changes.
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
	texts := map[string]string{}
	for _, pattern := range append([]string{"*.yaml"}, slices.Collect(maps.Values(parts))...) {
		paths, err := fs.Glob(from, pattern)
		if err != nil {
			return nil, fmt.Errorf("list embedded rules: %w", err)
		}
		for _, name := range paths {
			data, err := fs.ReadFile(from, name)
			if err != nil {
				return nil, fmt.Errorf("read embedded rules %s: %w", name, err)
			}
			texts[name] = string(data)
		}
	}
	return assembled(texts, SecretsOverlay()), nil
}

// assembled returns the sections of some files.
func assembled(texts map[string]string, overlay string) *shipped {
	out := &shipped{sections: map[string]func() (*yaml.Node, error){}, overlay: []byte(overlay)}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		out.add(name, []byte(texts[name]))
	}
	for section, pattern := range parts {
		out.extend(section, pattern)
	}
	slices.Sort(out.names)
	return out
}

// extend adds the files that match a pattern to a section, in order of their names: lists
// are joined, mappings merged, and no key may occur twice.
func (s *shipped) extend(section, pattern string) {
	base := s.sections[section]
	if base == nil {
		return
	}
	s.sections[section] = sync.OnceValues(func() (*yaml.Node, error) {
		node, err := base()
		for i := 0; err == nil && i < len(s.paths); i++ {
			if is, _ := path.Match(pattern, s.paths[i]); !is {
				continue
			}
			var part *yaml.Node
			if part, err = parseSection(s.paths[i], s.texts[i]); err == nil {
				err = join(node, part, s.paths[i])
			}
		}
		return node, err
	})
}

// join adds a part to a section.
func join(into, part *yaml.Node, path string) error {
	for i := 0; i < len(part.Content); i += 2 {
		key, value := part.Content[i], part.Content[i+1]
		_, known := entry(into, key.Value)
		switch {
		case known == nil:
			into.Content = append(into.Content, key, value)
		case known.Kind == yaml.SequenceNode && value.Kind == yaml.SequenceNode:
			known.Content = append(known.Content, value.Content...)
		case known.Kind == yaml.MappingNode && value.Kind == yaml.MappingNode:
			if err := join(known, value, path); err != nil {
				return err
			}
		default:
			return fmt.Errorf("embedded rules %s, line %d: %q is already in another file", path, key.Line, key.Value)
		}
	}
	return nil
}

// add adds the next file; a file in a folder is part of a section rather than a section.
func (s *shipped) add(path string, data []byte) {
	name := strings.TrimSuffix(path, ".yaml")
	s.paths, s.texts = append(s.paths, path), append(s.texts, data)
	if strings.Contains(name, "/") {
		return
	}
	s.names = append(s.names, name)
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

// Text returns the embedded text of a section with its parts, "" for an unknown one, for
// readers that cannot wait until it is parsed.
func Text(section string) string {
	data, err := files.ReadFile(section + ".yaml")
	if err != nil {
		return ""
	}
	text := string(data)
	paths, _ := fs.Glob(files, parts[section]) // the pattern is ours
	for _, name := range paths {
		if part, err := files.ReadFile(name); err == nil {
			text += "\n" + string(part)
		}
	}
	return text
}
