package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Record is the text that the hash of a [Set] covers, so that another build can read
// which rules applied (AU-12).
type Record struct {
	Sections  map[string]string `json:"sections"` // shipped files by name
	Secrets   string            `json:"secrets"`  // the overlay of secret rules
	File      string            `json:"file,omitempty"`
	Overrides string            `json:"overrides,omitempty"` // text of the user's file
}

// Record returns the text of the set.
func (s *Set) Record() Record {
	r := Record{Sections: map[string]string{}, Secrets: string(s.shipped.overlay), File: s.user.name, Overrides: string(s.overrides)}
	for i, path := range s.shipped.paths {
		r.Sections[path] = string(s.shipped.texts[i])
	}
	return r
}

// Hash returns the hash of the set, which depends only on its text, not on whether this
// build accepts it.
func (r Record) Hash() string {
	texts := make([][]byte, 0, len(r.Sections))
	for _, path := range slices.Sorted(maps.Keys(r.Sections)) {
		texts = append(texts, []byte(r.Sections[path]))
	}
	return hashOf(texts, []byte(r.Secrets), []byte(r.Overrides))
}

// Load returns the recorded set. The hash of the result shows whether the record is
// complete. The secret rules in use are those of this build: if the recorded ones differ,
// [Differences] lists secrets.toml.
func (r Record) Load() (*Set, error) {
	for name := range r.Sections {
		if !strings.HasSuffix(name, ".yaml") {
			return nil, fmt.Errorf("recorded rules: %q is not the name of a section's file", name)
		}
	}
	data := assembled(r.Sections, r.Secrets)
	set, err := load(data, r.File, []byte(r.Overrides))
	if err != nil {
		return nil, fmt.Errorf("recorded rules: %w", err)
	}
	return set, nil
}
