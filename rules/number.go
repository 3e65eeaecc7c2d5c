package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// sessionSection is the section of the settings named "session.NAME": the budget of a
// session's interrupts and its throttle.
const sessionSection = "dispatch"

// Number returns the path of a numeric setting and its value. It is named by its full
// path, such as dispatch.thresholds.fire, or as session.NAME by the last key of a setting
// in the section "dispatch".
func (s *Set) Number(setting string) (path string, value float64, err error) {
	section, rest, deeper := strings.Cut(setting, ".")
	if !deeper {
		return "", 0, fmt.Errorf("%q is not a setting: name it as section.key, such as dispatch.thresholds.fire", setting)
	}
	if section == "session" && s.shipped.sections[section] == nil {
		if setting, err = s.bySession(rest); err != nil {
			return "", 0, err
		}
		section, rest, _ = strings.Cut(setting, ".")
	}
	node, err := s.section(section)
	if err != nil {
		return "", 0, err
	}
	for _, key := range strings.Split(rest, ".") {
		next := child(node, key)
		if next == nil {
			return "", 0, fmt.Errorf("no setting %s: %s has no %q; %s", setting, section, key, Choices(key, keysOf(node)))
		}
		node = next
	}
	if node.Tag != "!!int" && node.Tag != "!!float" {
		return "", 0, fmt.Errorf("%s is not a number", setting)
	}
	if value, err = strconv.ParseFloat(node.Value, 64); err != nil {
		return "", 0, fmt.Errorf("%s: %w", setting, err)
	}
	return setting, value, nil
}

// bySession returns the only number of the section whose last keys are name.
func (s *Set) bySession(name string) (string, error) {
	node, err := s.section(sessionSection)
	if err != nil {
		return "", err
	}
	var found, known []string
	walk(sessionSection, node, func(path string, value *yaml.Node) {
		if value.Tag != "!!int" && value.Tag != "!!float" {
			return
		}
		known = append(known, path[strings.LastIndexByte(path, '.')+1:])
		if strings.HasSuffix(path, "."+name) {
			found = append(found, path)
		}
	})
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		slices.Sort(known)
		return "", fmt.Errorf("no setting session.%s; %s", name, Choices(name, slices.Compact(known)))
	}
	return "", fmt.Errorf("session.%s is ambiguous: use one of %s", name, strings.Join(found, ", "))
}

// walk calls found with the path of every value that is neither a mapping nor a list of
// items with ids.
func walk(path string, node *yaml.Node, found func(string, *yaml.Node)) {
	switch {
	case node.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			walk(path+"."+node.Content[i].Value, node.Content[i+1], found)
		}
	case node.Kind == yaml.SequenceNode && hasIDs(node):
		for _, item := range node.Content {
			walk(path+"."+itemID(item), item, found)
		}
	default:
		found(path, node)
	}
}

func keysOf(node *yaml.Node) (keys []string) {
	if node.Kind == yaml.MappingNode {
		for i := 0; i < len(node.Content); i += 2 {
			keys = append(keys, node.Content[i].Value)
		}
	}
	for _, item := range node.Content {
		if node.Kind == yaml.SequenceNode && itemID(item) != "" {
			keys = append(keys, itemID(item))
		}
	}
	return keys
}

// With returns the rules with a number replaced, as if by the user's file. The setting is
// named as for [Set.Number].
func (s *Set) With(setting string, value float64) (*Set, error) {
	path, was, err := s.Number(setting)
	if err != nil || was == value {
		return s, err
	}
	return s.replaced(path, strconv.FormatFloat(value, 'f', -1, 64))
}

// WithText returns the rules with a text replaced, as if by the user's file; the path
// must be complete.
func (s *Set) WithText(path, value string) (*Set, error) { return s.replaced(path, value) }

// replaced returns the rules with one value replaced.
func (s *Set) replaced(path, value string) (*Set, error) {
	root := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	var document yaml.Node
	source := s.user.source
	if s.permitted != nil {
		source = s.permitted
	}
	if err := yaml.Unmarshal(source, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", s.user.name, err)
	}
	if len(document.Content) == 1 {
		root = document.Content[0]
	}
	section, rest, _ := strings.Cut(path, ".")
	base, err := s.section(section)
	if err != nil {
		return nil, err
	}
	steps := strings.Split(rest, ".")
	put(valueOf(root, section, base.Kind), base, steps, value)
	text, err := yaml.Marshal(root)
	if err != nil {
		return nil, fmt.Errorf("set %s: %w", path, err)
	}
	return load(s.shipped, s.user.name, text)
}

// put writes a value at a path; base has the shape of what it overrides.
func put(node, base *yaml.Node, steps []string, value string) {
	next := child(base, steps[0])
	if len(steps) == 1 {
		set := entryOf(node, base, steps[0], yaml.ScalarNode)
		*set = yaml.Node{Kind: yaml.ScalarNode, Tag: scalarTag(value), Value: value}
		return
	}
	put(entryOf(node, base, steps[0], next.Kind), next, steps[1:], value)
}

// entryOf returns the value of a key, or the item with an id if base is a list of them,
// adding it if it is missing.
func entryOf(node, base *yaml.Node, step string, kind yaml.Kind) *yaml.Node {
	if base.Kind == yaml.MappingNode {
		return valueOf(node, step, kind)
	}
	if known := child(node, step); known != nil {
		return known
	}
	item := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	valueOf(item, "id", yaml.ScalarNode).Value = step
	node.Content = append(node.Content, item)
	return item
}

// valueOf returns the value of a key of a mapping, adding it if it is missing.
func valueOf(mapping *yaml.Node, key string, kind yaml.Kind) *yaml.Node {
	if _, value := entry(mapping, key); value != nil {
		return value
	}
	value := &yaml.Node{Kind: kind}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
	return value
}

func scalarTag(value string) string {
	if _, err := strconv.ParseFloat(value, 64); err != nil {
		return "!!str"
	}
	if strings.Contains(value, ".") {
		return "!!float"
	}
	return "!!int"
}

// Added returns a rules file with one more entry in a list of a section, creating section
// and list if needed, and the resulting rules. Comments and everything else are kept. It
// fails if the file does not load, before or after; the error calls the file name.
func Added(name string, data []byte, section, list string, entry any) (text []byte, set *Set, err error) {
	if _, err := Load(name, data); err != nil {
		return nil, nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(document.Content) == 0 { // only comments, which would be lost
		document = yaml.Node{
			Kind: yaml.DocumentNode, HeadComment: string(data), Content: []*yaml.Node{{Kind: yaml.MappingNode, Tag: "!!map"}},
		}
	}
	var item yaml.Node
	if err := item.Encode(entry); err != nil {
		return nil, nil, fmt.Errorf("%s: write an entry of %s.%s: %w", name, section, list, err)
	}
	entries := valueOf(valueOf(document.Content[0], section, yaml.MappingNode), list, yaml.SequenceNode)
	entries.Content = append(entries.Content, &item)
	if text, err = yaml.Marshal(&document); err != nil {
		return nil, nil, fmt.Errorf("%s: encode: %w", name, err)
	}
	set, err = Load(name, text)
	return text, set, err
}
