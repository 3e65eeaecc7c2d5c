// Package files classifies files by their path, with a single table (JD-50).
package files

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Kinds is a set of kinds.
type Kinds uint16

// Kinds of files; rules/files.yaml defines them.
const (
	Test Kinds = 1 << iota
	TestFolder
	Fixture
	Document
	Generated
	Lock
	Vendored
	Scratch
	Configuration
	Secret
	Example
)

// AnyTest are the kinds of files that never reach production (SW-40).
const AnyTest = Test | TestFolder | Fixture

var names = []struct {
	kind Kinds
	name string
}{
	{Test, "test"},
	{Fixture, "fixture"},
	{TestFolder, "test_folder"},
	{Document, "document"},
	{Generated, "generated"},
	{Lock, "lock"},
	{Vendored, "vendored"},
	{Scratch, "scratch"},
	{Configuration, "configuration"},
	{Secret, "secret"},
	{Example, "example"},
}

// Any reports whether a file has at least one of some kinds.
func (k Kinds) Any(of Kinds) bool { return k&of != 0 }

// String returns the names of the kinds, as in rules/files.yaml.
func (k Kinds) String() string {
	var out []string
	for _, n := range names {
		if k.Any(n.kind) {
			out = append(out, n.name)
		}
	}
	return strings.Join(out, " ")
}

// Table classifies files. It is safe for concurrent use.
type Table struct{ patterns []matcher }

type matcher struct {
	kind Kinds
	*pattern.Regexp
}

// Load reads the section files. It fails if an expression in a user's file is invalid.
func Load(set *rules.Set) (*Table, error) {
	section := map[string]*pattern.Regexp{}
	if err := set.Decode("files", &section); err != nil {
		return nil, fmt.Errorf("load file kinds: %w", err)
	}
	t := &Table{}
	for _, n := range names {
		if expression := section[n.name]; expression != nil {
			t.patterns = append(t.patterns, matcher{n.kind, expression})
		}
	}
	return t, nil
}

// Classify returns every kind that a path is of, 0 for none.
func (t *Table) Classify(path string) Kinds {
	if path == "" {
		return 0
	}
	path = slashed(path)
	var kinds Kinds
	for _, m := range t.patterns {
		if m.MatchString(path) {
			kinds |= m.kind
		}
	}
	return kinds
}

// Is reports whether a path has at least one of some kinds; it evaluates no more patterns
// than necessary.
func (t *Table) Is(path string, of Kinds) bool {
	if path == "" {
		return false
	}
	path = slashed(path)
	for _, m := range t.patterns {
		if m.kind.Any(of) && m.MatchString(path) {
			return true
		}
	}
	return false
}

func slashed(path string) string { return strings.ReplaceAll(path, `\`, "/") }
