package rules

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"
)

// maxOverrides bounds the user's file, in bytes.
const maxOverrides = 1 << 20

// override merges the user's file over the sections.
func (s *Set) override(root *yaml.Node) error {
	if root == nil {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: want a mapping from section to values at the top; sections are: %v", s.userFile, root.Line, s.Sections())
	}
	for i := 0; i < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if s.shipped.sections[key.Value] == nil {
			return fmt.Errorf("%s:%d: unknown section %q; %s", s.userFile, key.Line, key.Value, choices(key.Value, s.Sections()))
		}
		base, err := s.section(key.Value)
		if err != nil {
			return err
		}
		if s.changed[key.Value], err = s.merge(key.Value, nil, base, value); err != nil {
			return err
		}
	}
	return nil
}

// parse parses exactly one YAML document and marks its nodes as the user's.
func (s *Set) parse(data []byte) (*yaml.Node, error) {
	s.source = data
	if len(data) > maxOverrides {
		return nil, fmt.Errorf("%s: %d bytes, at most %d are allowed", s.userFile, len(data), maxOverrides)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	if err := decoder.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil // comments only
		}
		return nil, fmt.Errorf("%s: %w", s.userFile, err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: want one YAML document, remove what follows the second ---", s.userFile)
	}
	root := document.Content[0]
	return root, s.adopt(root)
}

// adopt marks node and everything below as the user's. It refuses what would make merging
// ambiguous: aliases and duplicate keys.
func (s *Set) adopt(node *yaml.Node) error {
	s.userNodes[node] = true
	if node.Kind == yaml.AliasNode || node.Anchor != "" {
		return fmt.Errorf("%s:%d: anchors and aliases are not supported, repeat the value", s.userFile, node.Line)
	}
	if node.Kind == yaml.MappingNode {
		seen := map[string]int{}
		for i := 0; i < len(node.Content); i += 2 {
			key := node.Content[i]
			if key.Kind != yaml.ScalarNode {
				return fmt.Errorf("%s:%d: a key must be a plain word", s.userFile, key.Line)
			}
			if first, twice := seen[key.Value]; twice {
				return fmt.Errorf("%s:%d: key %q is already on line %d, keep one", s.userFile, key.Line, key.Value, first)
			}
			seen[key.Value] = key.Line
		}
	}
	for _, c := range node.Content {
		if err := s.adopt(c); err != nil {
			return err
		}
	}
	return nil
}

// merge overlays the user's value on the default one.
func (s *Set) merge(section string, path []string, base, user *yaml.Node) (*yaml.Node, error) {
	if user.Tag == "!!null" {
		return nil, s.problem(section, user, path, "has no value; give one or remove the key")
	}
	if base.Kind != user.Kind && base.Tag != "!!null" {
		return nil, s.problem(section, user, path, "want %s, got %s", kindName(base.Kind), kindName(user.Kind))
	}
	switch user.Kind {
	case yaml.MappingNode:
		return s.mergeMapping(section, path, base, user)
	case yaml.SequenceNode:
		if hasIDs(base) {
			return s.mergeByID(section, path, base, user)
		}
	}
	return user, nil
}

func (s *Set) mergeMapping(section string, path []string, base, user *yaml.Node) (*yaml.Node, error) {
	out := *base
	out.Content = slices.Clone(base.Content)
	for i := 0; i < len(user.Content); i += 2 {
		key, value := user.Content[i], user.Content[i+1]
		at, old := entry(&out, key.Value)
		if old == nil {
			out.Content = append(out.Content, key, value)
			continue
		}
		merged, err := s.merge(section, sub(path, key.Value), old, value)
		if err != nil {
			return nil, err
		}
		out.Content[at+1] = merged
	}
	return &out, nil
}

// entry returns a key's index and its value in a mapping; nil if absent.
func entry(mapping *yaml.Node, key string) (int, *yaml.Node) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return i, mapping.Content[i+1]
		}
	}
	return -1, nil
}

// sub returns path with one more step, never sharing memory with it.
func sub(path []string, step string) []string { return append(slices.Clone(path), step) }

func kindName(k yaml.Kind) string {
	switch k {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return "a single value"
	}
}
