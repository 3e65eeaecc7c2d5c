package rules

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Change is one value of an overrides file.
type Change struct {
	Path  string // with dots: detectors.B1.mode
	Value string // as written; "" for a list
	Line  int
}

// Text returns the change on one line, quoted, since the file's text is foreign.
func (c Change) Text() string {
	s := c.Path
	if c.Value != "" {
		s += ": " + c.Value
	}
	return strconv.Quote(text.Short(s, maxChange))
}

// maxChange bounds the text of a change, in characters.
const maxChange = 60

// permissions is the section "workspace".
type permissions struct {
	Permits []string `yaml:"permits"`
}

// LoadPermitted is [Load] for a file that others than the operator can write: with the
// overrides under a key of a larger YAML file called name, whose whole text is data, it
// leaves out what the shipped section "workspace" does not permit. It returns the applied
// changes and those left out; if none is applied the set is nil. With key "" the whole
// file is read.
func LoadPermitted(name string, data []byte, key string) (set *Set, applied, refused []Change, err error) {
	var allowed permissions
	if err := Default().Decode("workspace", &allowed); err != nil {
		return nil, nil, nil, err
	}
	s := begin(embedded(), name)
	root, err := s.user.parse(data)
	if err != nil {
		return nil, nil, nil, err
	}
	part := root
	if key != "" && root != nil && root.Kind == yaml.MappingNode {
		_, part = entry(root, key)
	}
	if part == nil {
		return nil, nil, nil, nil
	}
	part, applied, refused = s.prune(part, allowed)
	if len(part.Content) == 0 && part.Kind == yaml.MappingNode {
		return nil, nil, refused, nil
	}
	text, err := yaml.Marshal(part)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %s: %w", name, key, err)
	}
	s.permitted = text
	return s, applied, refused, s.finish(text, part)
}

// prune removes what is not permitted; an unknown section is kept, so that merging
// reports it.
func (s *Set) prune(part *yaml.Node, allowed permissions) (kept *yaml.Node, applied, refused []Change) {
	if part.Kind != yaml.MappingNode {
		return part, nil, nil
	}
	out := *part
	out.Content = nil
	for i := 0; i < len(part.Content); i += 2 {
		key, value := part.Content[i], part.Content[i+1]
		if s.shipped.sections[key.Value] != nil {
			value = allowed.prune(value, []string{key.Value}, key.Line, &applied, &refused)
		}
		if value != nil {
			out.Content = append(out.Content, key, value)
		}
	}
	s.user.nodes[&out] = true
	return &out, applied, refused
}

// prune returns the permitted part of a value, nil for none. The nodes remain the user's
// own, for errors about them.
func (p permissions) prune(node *yaml.Node, at []string, line int, applied, refused *[]Change) *yaml.Node {
	if node.Kind == yaml.MappingNode && len(node.Content) > 0 {
		var content []*yaml.Node
		for i := 0; i < len(node.Content); i += 2 {
			key := node.Content[i]
			if value := p.prune(node.Content[i+1], sub(at, key.Value), key.Line, applied, refused); value != nil {
				content = append(content, key, value)
			}
		}
		if node.Content = content; len(content) == 0 {
			return nil
		}
		return node
	}
	change := Change{Path: strings.Join(at, "."), Value: node.Value, Line: line}
	for _, pattern := range p.Permits {
		if fits, err := path.Match(pattern, change.Path); err == nil && fits {
			*applied = append(*applied, change)
			return node
		}
	}
	*refused = append(*refused, change)
	return nil
}
