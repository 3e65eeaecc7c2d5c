package rules

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Record is all the text that the hash of a [Set] covers, so that another build can read
// what applied (AU-12).
type Record struct {
	Sections  map[string]string `json:"sections"` // shipped files by name
	Secrets   string            `json:"secrets"`  // the overlay of secret rules
	File      string            `json:"file,omitempty"`
	Overrides string            `json:"overrides,omitempty"` // text of the user's file
}

// Record returns the text of the set.
func (s *Set) Record() Record {
	r := Record{Sections: map[string]string{}, Secrets: string(s.shipped.overlay), File: s.userFile, Overrides: string(s.overrides)}
	for i, path := range s.shipped.paths {
		r.Sections[path] = string(s.shipped.texts[i])
	}
	return r
}

// Load returns the set that was recorded. The hash of the result shows whether the record
// is whole. The secret rules in use are those of this build: where the recorded ones
// differ, [Differences] lists secrets.toml.
func (r Record) Load() (*Set, error) {
	data := &shipped{sections: map[string]func() (*yaml.Node, error){}, overlay: []byte(r.Secrets)}
	paths := make([]string, 0, len(r.Sections))
	for path := range r.Sections {
		if !strings.HasSuffix(path, ".yaml") {
			return nil, fmt.Errorf("recorded rules: %q is not the name of a section's file", path)
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		data.add(path, []byte(r.Sections[path]))
	}
	slices.Sort(data.names)
	set, err := load(data, r.File, []byte(r.Overrides))
	if err != nil {
		return nil, fmt.Errorf("recorded rules: %w", err)
	}
	return set, nil
}
