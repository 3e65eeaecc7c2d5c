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

// Invalid is what a section's Validate method returns to have its error placed
// at the line of one value. Path names it from the section's top: keys, and for list
// items their id or index.
type Invalid struct {
	Path []string
	Why  string // what is wrong and what is allowed
}

// Error gives path and reason.
func (e *Invalid) Error() string { return strings.Join(e.Path, ".") + ": " + e.Why }

// Validator is a section's Go type that checks more than types and ranges.
type Validator interface{ Validate() error }

// problem is an error at a node: file, line, the key's path and the cure.
func (s *Set) problem(section string, node *yaml.Node, path []string, format string, args ...any) error {
	file := "rules/" + section + ".yaml"
	if s.userNodes[node] {
		file = s.userFile
	}
	where := strings.Join(append([]string{section}, path...), ".")
	return fmt.Errorf("%s:%d: %s: %s", file, node.Line, where, fmt.Sprintf(format, args...))
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
	if errors.As(err, &bad) {
		return s.problem(section, lookup(node, bad.Path), bad.Path, "%s", bad.Why)
	}
	return s.problem(section, node, nil, "%v", err)
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

// choices is the cure for an unknown name: the nearest one, or all of them.
func choices(name string, known []string) string {
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
