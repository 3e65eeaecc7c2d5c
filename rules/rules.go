// Package rules is the data behind detection: phrases, thresholds, families,
// secret overlays. One YAML file per section is embedded; a user overrides any
// of them in one YAML file with the same top-level keys (habit 7):
//
//	refetch:
//	  window_turns: 6          # a mapping is merged key by key
//	userdirected:
//	  verbs:
//	    - id: research         # an item with an id is merged into the one of that id
//	      phrases: [look into] # any other list replaces
//	    - id: reconsider
//	      remove: true         # and this drops it
package rules

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed *.yaml
var files embed.FS

// Version names the embedded rule data; it stands in every derived event (EV-2).
const Version = "2026.11"

// Set is the effective rule data: the embedded defaults with the user's overrides.
// It is read-only after Load and may be shared.
type Set struct {
	sections map[string]*yaml.Node
	// userNodes are the nodes that came from the user's file, for error positions.
	userNodes map[*yaml.Node]bool
	userFile  string
	source    []byte // of the user's file
	hash      string
}

// Default is the embedded data without overrides.
func Default() *Set {
	s, err := Load("", nil)
	if err != nil {
		panic(err) // the embedded data is checked by the package's tests
	}
	return s
}

// Load merges overrides (YAML, may be empty) from the file called name over the
// embedded data. Errors name file, line and cure.
func Load(name string, overrides []byte) (*Set, error) {
	return load(files, name, overrides)
}

// LoadPart is Load with the overrides that stand under a key of a larger YAML
// file called name, whose whole text is data. A file without the key overrides
// nothing.
func LoadPart(name string, data []byte, key string) (*Set, error) {
	s, sum, err := begin(files, name)
	if err != nil {
		return nil, err
	}
	root, err := s.parse(data)
	if err != nil {
		return nil, err
	}
	var part *yaml.Node
	if root != nil && root.Kind == yaml.MappingNode {
		_, part = entry(root, key)
	}
	if part == nil {
		return Load("", nil)
	}
	text, err := yaml.Marshal(part)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", name, key, err)
	}
	return s.finish(sum, text, part)
}

func load(embedded fs.FS, name string, overrides []byte) (*Set, error) {
	s, sum, err := begin(embedded, name)
	if err != nil {
		return nil, err
	}
	var root *yaml.Node
	if len(bytes.TrimSpace(overrides)) > 0 {
		if root, err = s.parse(overrides); err != nil {
			return nil, err
		}
	}
	return s.finish(sum, overrides, root)
}

// begin is the embedded data without overrides, and its digest.
func begin(embedded fs.FS, name string) (*Set, hash.Hash, error) {
	s := &Set{sections: map[string]*yaml.Node{}, userNodes: map[*yaml.Node]bool{}, userFile: name}
	sum := sha256.New()
	err := s.readEmbedded(embedded, sum)
	sum.Write([]byte(SecretsOverlay()))
	return s, sum, err
}

// finish merges the user's sections, whose text goes into the hash.
func (s *Set) finish(sum hash.Hash, text []byte, root *yaml.Node) (*Set, error) {
	sum.Write(text)
	s.hash = hex.EncodeToString(sum.Sum(nil)[:6])
	if err := s.override(root); err != nil {
		return nil, err
	}
	return s, s.checkModes()
}

func (s *Set) readEmbedded(embedded fs.FS, digest hash.Hash) error {
	paths, err := fs.Glob(embedded, "*.yaml")
	if err != nil {
		return fmt.Errorf("list embedded rules: %w", err)
	}
	sort.Strings(paths)
	for _, path := range paths {
		data, err := fs.ReadFile(embedded, path)
		if err != nil {
			return fmt.Errorf("read embedded rules %s: %w", path, err)
		}
		digest.Write(data)
		var document yaml.Node
		if err := yaml.Unmarshal(data, &document); err != nil {
			return fmt.Errorf("embedded rules %s: %w", path, err)
		}
		if len(document.Content) > 0 {
			s.sections[strings.TrimSuffix(path, ".yaml")] = document.Content[0]
		}
	}
	return nil
}

// Decode reads a section (the embedded file's name without .yaml) into a struct
// with yaml tags. An unknown key, a value of the wrong type or out of the range
// that the field's `range` or `allow` tag sets is an error that names file, line
// and cure; so is what into's Validate method, where there is one, returns.
func (s *Set) Decode(section string, into any) error {
	node, ok := s.sections[section]
	if !ok {
		return fmt.Errorf("rules: no section %q; %s", section, choices(section, s.Sections()))
	}
	if err := s.checkTypes(section, node, into); err != nil {
		return err
	}
	if err := node.Decode(into); err != nil {
		return fmt.Errorf("rules: section %s: %w", section, err)
	}
	return s.validate(section, node, into)
}

// Sections lists the names of all sections, sorted.
func (s *Set) Sections() []string {
	names := make([]string, 0, len(s.sections))
	for name := range s.sections {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Hash identifies the effective data, 12 hex digits.
func (s *Set) Hash() string { return s.hash }
