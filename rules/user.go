package rules

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxOverrides bounds the user's file, in bytes.
const maxOverrides = 1 << 20

// userFile is a YAML document of a user's: what it holds is merged over shipped data, and errors name the
// place in it.
type userFile struct {
	name   string              // "" for none
	nodes  map[*yaml.Node]bool // those that came from it
	source []byte
}

// parse parses exactly one YAML document and marks its nodes as the user's.
func (f *userFile) parse(data []byte) (*yaml.Node, error) {
	f.source = data
	if len(data) > maxOverrides {
		return nil, fmt.Errorf("%s: %d bytes, at most %d are allowed", f.name, len(data), maxOverrides)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	if err := decoder.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil // comments only
		}
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: want one YAML document, remove what follows the second ---", f.name)
	}
	root := document.Content[0]
	return root, f.adopt(root)
}

// adopt marks node and everything below as the user's. It refuses what would make merging
// ambiguous: aliases and duplicate keys.
func (f *userFile) adopt(node *yaml.Node) error {
	f.nodes[node] = true
	if node.Kind == yaml.AliasNode || node.Anchor != "" {
		return fmt.Errorf("%s:%d: anchors and aliases are not supported, repeat the value", f.name, node.Line)
	}
	if node.Kind == yaml.MappingNode {
		seen := map[string]int{}
		for i := 0; i < len(node.Content); i += 2 {
			key := node.Content[i]
			if key.Kind != yaml.ScalarNode {
				return fmt.Errorf("%s:%d: a key must be a plain word", f.name, key.Line)
			}
			if first, twice := seen[key.Value]; twice {
				return fmt.Errorf("%s:%d: key %q is already on line %d, keep one", f.name, key.Line, key.Value, first)
			}
			seen[key.Value] = key.Line
		}
	}
	for _, c := range node.Content {
		if err := f.adopt(c); err != nil {
			return err
		}
	}
	return nil
}

// problem returns an error at a node: file, line, the key's path and the fix.
func (f *userFile) problem(section string, node *yaml.Node, path []string, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s%s", f.fileOf(section, node), node.Line, keyPath(section, path), fmt.Sprintf(format, args...))
}

// fileOf returns the name of a node's file.
func (f *userFile) fileOf(section string, node *yaml.Node) string {
	if f.nodes[node] {
		return f.name
	}
	return "rules/" + section + ".yaml"
}

// indentation returns the width of the white space before a line of the user's file.
func (f *userFile) indentation(line int) int {
	lines := strings.SplitAfterN(string(f.source), "\n", line+1)
	if line < 1 || line > len(lines) {
		return 0
	}
	text := lines[line-1]
	return len(text) - len(strings.TrimLeft(text, " "))
}

// DecodeFile decodes a separate YAML document, without overrides, into a struct with yaml
// tags, as strictly as [Set.Decode]: an error names file, line and fix. An empty document
// leaves into unchanged.
func DecodeFile(name string, data []byte, into any) error {
	s := begin(&shipped{}, name)
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	root, err := s.user.parse(data)
	if err != nil || root == nil {
		return err
	}
	s.changed[""] = root
	return s.Decode("", into)
}

// File returns the name of the user's file, "" without overrides.
func (s *Set) File() string { return s.user.name }
