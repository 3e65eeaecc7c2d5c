// Package files classifies files by their path, with a single table (JD-50).
package files

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/recall"
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
	Data
	Aside
	Notes
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
	{Data, "data"},
	{Aside, "aside"},
	{Notes, "notes"},
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
type Table struct {
	patterns []matcher
	judged   *recall.Table[*judgement] // by path: agents work on few files at a time
}

// judgement holds what is known about a path: the kinds that were asked for, and which of
// them it is.
type judgement struct{ asked, is atomic.Uint32 }

// Paths that a table remembers.
const (
	keptPaths   = 512
	longestPath = 256
)

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
	t := &Table{judged: recall.New[*judgement](keptPaths, longestPath)}
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
	j := t.judgementOf(path)
	var kinds Kinds
	for _, m := range t.patterns {
		if j.of(path, m) {
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
	j := t.judgementOf(path)
	for _, m := range t.patterns {
		if m.kind.Any(of) && j.of(path, m) {
			return true
		}
	}
	return false
}

func (t *Table) judgementOf(path string) *judgement {
	return t.judged.Of(path, func(string) *judgement { return &judgement{} })
}

// of reports whether the path is of a matcher's kind.
func (j *judgement) of(path string, m matcher) bool {
	kind := uint32(m.kind)
	if j.asked.Load()&kind == 0 {
		if m.MatchString(slashed(path)) {
			j.is.Or(kind)
		}
		j.asked.Or(kind)
	}
	return j.is.Load()&kind != 0
}

func slashed(path string) string { return strings.ReplaceAll(path, `\`, "/") }
