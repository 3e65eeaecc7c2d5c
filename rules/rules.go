// Package rules holds the data of detection: phrases, thresholds, families, secret
// overlays. One YAML file per section is embedded; a user can override any of them in one
// YAML file with the same top-level keys (habit 7):
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
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Version is the version of the embedded rule data; every derived event carries it
// (EV-2).
const Version = "2026.11"

// Set is the effective rule data: the embedded defaults with the user's overrides.
// It is read-only after Load and may be shared.
type Set struct {
	shipped *shipped
	// changed holds the sections that the user's file overrides, merged.
	changed map[string]*yaml.Node
	// checkAll makes Decode check every section, not only changed ones.
	checkAll  bool
	decoded   func(section string) // reports which sections are decoded; nil if not needed
	modes     detectorModes
	user      *userFile
	permitted []byte // the part that overrides rules, if that is not all of it
	overrides []byte // in the form that is hashed
	hash      string
}

// defaults is the embedded data without overrides, which sets share once parsed.
var defaults = sync.OnceValue(func() *Set {
	s, err := Load("", nil)
	if err != nil {
		panic(err) // this package's tests check the embedded data
	}
	return s
})

// Default returns the embedded data without overrides.
func Default() *Set { return defaults() }

// Checked is Default with every section checked when it is decoded, as a user's sections
// are, for tests of the embedded data, which program start trusts. It calls decoded, if
// not nil, with the name of each section.
func Checked(decoded func(section string)) *Set {
	s := *Default()
	s.checkAll, s.decoded = true, decoded
	return &s
}

// Watched returns the set with a function that is called for each section decoded from
// it.
func (s *Set) Watched(decoded func(section string)) *Set {
	watched, before := *s, s.decoded
	watched.decoded = func(section string) {
		decoded(section)
		if before != nil {
			before(section)
		}
	}
	return &watched
}

// Unwatched returns the set without such a function, for what is decoded later and by several
// goroutines.
func (s *Set) Unwatched() *Set {
	quiet := *s
	quiet.decoded = nil
	return &quiet
}

// Load merges overrides (YAML, may be empty) from the file called name over the embedded
// data. Errors name file, line and fix.
func Load(name string, overrides []byte) (*Set, error) {
	return load(embedded(), name, overrides)
}

func load(data *shipped, name string, overrides []byte) (*Set, error) {
	s := begin(data, name)
	var root *yaml.Node
	if len(bytes.TrimSpace(overrides)) > 0 {
		var err error
		if root, err = s.user.parse(overrides); err != nil {
			return nil, err
		}
	}
	if err := s.finish(overrides, root); err != nil {
		return nil, err
	}
	return s, nil
}

// begin returns the embedded data without overrides.
func begin(data *shipped, name string) *Set {
	return &Set{shipped: data, changed: map[string]*yaml.Node{}, user: &userFile{name: name, nodes: map[*yaml.Node]bool{}}}
}

// finish merges the user's sections, whose text goes into the hash.
func (s *Set) finish(text []byte, root *yaml.Node) error {
	s.overrides = text
	s.hash = hashOf(s.shipped.texts, s.shipped.overlay, text)
	if err := s.override(root); err != nil {
		return err
	}
	return s.loadModes()
}

// hashOf hashes the shipped files in the order of their paths, the secret rules, and the
// text of the user's file.
func hashOf(shipped [][]byte, secrets, overrides []byte) string {
	sum := sha256.New()
	for _, data := range shipped {
		sum.Write(data)
	}
	sum.Write(secrets)
	sum.Write(overrides)
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

// Decode decodes a section (the embedded file's name without .yaml) into a struct with
// yaml tags. A section that the user's file changes is checked, and errors name file,
// line and fix: an unknown key, a value of the wrong type or outside the range set by the
// field's `range` or `allow` tag, an expression that does not compile ([Bound]), and what
// into's Validate method, if any, returns.
func (s *Set) Decode(section string, into any) error {
	node, err := s.section(section)
	if err != nil {
		return err
	}
	check := s.Checks(section)
	if s.decoded != nil {
		s.decoded(section)
	}
	if check {
		if err := s.checkTypes(section, node, into); err != nil {
			return err
		}
	}
	if err := node.Decode(into); err != nil {
		return fmt.Errorf("rules: section %s: %w", section, err)
	}
	if err := (binder{s, section, node, check}).value(reflect.ValueOf(into).Elem(), nil, ""); err != nil {
		return err
	}
	if check {
		return s.validate(section, node, into)
	}
	return nil
}

// Checks reports whether a section must be checked before use because the user's file
// changes it. Tests check the embedded data.
func (s *Set) Checks(section string) bool {
	return s.checkAll || s.changed[section] != nil
}

// section returns the effective YAML of a section.
func (s *Set) section(name string) (*yaml.Node, error) {
	if node := s.changed[name]; node != nil {
		return node, nil
	}
	parse := s.shipped.sections[name]
	if parse == nil {
		return nil, fmt.Errorf("rules: no section %q; %s", name, Choices(name, s.Sections()))
	}
	return parse()
}

// Sections returns the names of all sections, sorted.
func (s *Set) Sections() []string { return slices.Clone(s.shipped.names) }

// Hash identifies the effective data, 12 hex digits.
func (s *Set) Hash() string { return s.hash }

// Taking makes things from one set of rules, until one of them fails.
type Taking struct {
	Set *Set
	Err error
}

// Take decodes a section, as [Set.Decode] does, and returns what makes more of the same set.
func Take(set *Set, section string, into any) *Taking { return &Taking{set, set.Decode(section, into)} }

// More makes one more thing with a constructor, unless something failed before.
func More[T any](t *Taking, into *T, from func(*Set) (T, error)) {
	if t.Err == nil {
		*into, t.Err = from(t.Set)
	}
}

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

// Mode is whether a detector runs and whether it may interrupt (DP-25).
type Mode string

// Modes of a detector.
const (
	ModeOff     Mode = "off"     // does not run
	ModeObserve Mode = "observe" // runs and is recorded, but never delivered
	ModeOn      Mode = "on"
)

// DetectorRule is one entry of the section `detectors`.
type DetectorRule struct {
	Mode Mode `yaml:"mode" allow:"off|observe|on"`
}

// detectorModes is the section `detectors`: detector id → rule.
type detectorModes map[string]DetectorRule

// loadModes reads the section `detectors` and refuses overrides for detectors that do not
// exist.
func (s *Set) loadModes() error {
	s.modes = detectorModes{}
	if s.shipped.sections["detectors"] == nil {
		return nil
	}
	if s.Checks("detectors") {
		if err := s.checkModes(s.changed["detectors"]); err != nil {
			return err
		}
	}
	return s.Decode("detectors", &s.modes)
}

func (s *Set) checkModes(section *yaml.Node) error {
	var names []string
	for i := 0; i < len(section.Content); i += 2 {
		if key := section.Content[i]; !s.user.nodes[key] {
			names = append(names, key.Value)
		}
	}
	slices.Sort(names)
	for i := 0; i < len(section.Content); i += 2 {
		if key := section.Content[i]; !slices.Contains(names, key.Value) {
			return s.user.problem("detectors", key, nil, "no detector %q; %s", key.Value, Choices(key.Value, names))
		}
	}
	return nil
}

// Mode returns a detector's mode; a detector that the data does not name is on.
func (s *Set) Mode(detector string) Mode {
	if mode := s.modes[detector].Mode; mode != "" {
		return mode
	}
	return ModeOn
}
