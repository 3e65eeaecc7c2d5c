package rules

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/adrg/strutil"
	"github.com/adrg/strutil/metrics"
	"go.yaml.in/yaml/v3"
)

// Invalid is the error of a section's Validate method that is to be reported at the line
// of one value. Path names it from the section's top: keys, and for list items their id
// or index.
type Invalid struct {
	Path []string
	Why  string // what is wrong and what is allowed
	// Line and Column in the file, from 1, locate it more precisely than Path; 0 if
	// unknown.
	Line, Column int
	// Indented is the line of the file whose indentation must be added to Column: the
	// first one of a block of text.
	Indented int
}

// Error returns path and reason.
func (e *Invalid) Error() string { return strings.Join(e.Path, ".") + ": " + e.Why }

// Validator is implemented by a section's Go type to check more than types and ranges.
type Validator interface{ Validate() error }

// keyPath returns "section.key: ", or "" for the top of a file without sections.
func keyPath(section string, path []string) string {
	if section != "" {
		path = append([]string{section}, path...)
	}
	if len(path) == 0 {
		return ""
	}
	return strings.Join(path, ".") + ": "
}

func (s *Set) validate(section string, node *yaml.Node, into any) error {
	v, ok := into.(Validator)
	if !ok {
		return nil
	}
	err := v.Validate()
	if err == nil {
		return nil
	}
	var bad *Invalid
	if errors.As(err, &bad) && bad.Line > 0 && bad.Column > 0 {
		at := lookup(node, bad.Path)
		return fmt.Errorf("%s:%d:%d: %s%s", s.user.fileOf(section, at), bad.Line, bad.Column+s.user.indentation(bad.Indented), keyPath(section, bad.Path), bad.Why)
	}
	if bad != nil {
		return s.user.problem(section, lookup(node, bad.Path), bad.Path, "%s", bad.Why)
	}
	return s.user.problem(section, node, nil, "%v", err)
}

// Fault returns an error about a value of a section: file, line, the key's path and what
// is wrong.
func (s *Set) Fault(section string, bad *Invalid) error {
	node, err := s.section(section)
	if err != nil {
		return err
	}
	return s.user.problem(section, lookup(node, bad.Path), bad.Path, "%s", bad.Why)
}

// lookup follows path as far as it exists.
func lookup(node *yaml.Node, path []string) *yaml.Node {
	for _, step := range path {
		next := child(node, step)
		if next == nil {
			return node
		}
		node = next
	}
	return node
}

func child(node *yaml.Node, step string) *yaml.Node {
	switch node.Kind {
	case yaml.MappingNode:
		_, value := entry(node, step)
		return value
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(node.Content) {
			return node.Content[i]
		}
		for _, item := range node.Content {
			if itemID(item) == step {
				return item
			}
		}
	}
	return nil
}

// Choices returns the fix for an unknown name: the nearest known one, or all of them.
func Choices(name string, known []string) string {
	best, score := "", 0.0
	for _, k := range known {
		if v := strutil.Similarity(name, k, metrics.NewLevenshtein()); v > score {
			best, score = k, v
		}
	}
	if score >= 0.6 {
		return fmt.Sprintf("did you mean %q?", best)
	}
	if len(known) == 0 {
		return "nothing is allowed here"
	}
	return "allowed are: " + strings.Join(known, ", ")
}
