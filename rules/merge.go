package rules

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// override merges the user's file over the sections.
func (s *Set) override(root *yaml.Node) error {
	if root == nil {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: want a mapping from section to values at the top; sections are: %v", s.user.name, root.Line, s.Sections())
	}
	for i := 0; i < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if s.shipped.sections[key.Value] == nil {
			return fmt.Errorf("%s:%d: unknown section %q; %s", s.user.name, key.Line, key.Value, Choices(key.Value, s.Sections()))
		}
		base, err := s.section(key.Value)
		if err != nil {
			return err
		}
		if s.changed[key.Value], err = s.user.merge(key.Value, nil, base, value); err != nil {
			return err
		}
	}
	return nil
}

// merge overlays the user's value on the default one.
func (f *userFile) merge(section string, path []string, base, user *yaml.Node) (*yaml.Node, error) {
	if user.Tag == "!!null" {
		return nil, f.problem(section, user, path, "has no value; give one or remove the key")
	}
	if base.Kind != user.Kind && base.Tag != "!!null" {
		return nil, f.problem(section, user, path, "want %s, got %s", kindName(base.Kind), kindName(user.Kind))
	}
	switch user.Kind {
	case yaml.MappingNode:
		return f.mergeMapping(section, path, base, user)
	case yaml.SequenceNode:
		if hasIDs(base) {
			return f.mergeByID(section, path, base, user)
		}
	}
	return user, nil
}

func (f *userFile) mergeMapping(section string, path []string, base, user *yaml.Node) (*yaml.Node, error) {
	out := *base
	out.Content = slices.Clone(base.Content)
	for i := 0; i < len(user.Content); i += 2 {
		key, value := user.Content[i], user.Content[i+1]
		at, old := entry(&out, key.Value)
		if old == nil {
			out.Content = append(out.Content, key, value)
			continue
		}
		merged, err := f.merge(section, sub(path, key.Value), old, value)
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

// hasIDs reports whether a list's items are mappings with an id.
func hasIDs(list *yaml.Node) bool {
	return len(list.Content) > 0 && !slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return itemID(n) == "" })
}

func itemID(item *yaml.Node) string {
	if item.Kind != yaml.MappingNode {
		return ""
	}
	_, id := entry(item, "id")
	if id == nil {
		return ""
	}
	return id.Value
}

// mergeByID merges the user's items into those with the same id, appends new ones and
// drops those marked `remove: true`.
func (f *userFile) mergeByID(section string, path []string, base, user *yaml.Node) (*yaml.Node, error) {
	out := *base
	out.Content = slices.Clone(base.Content)
	seen := map[string]bool{}
	for _, item := range user.Content {
		id := itemID(item)
		if id == "" {
			return nil, f.problem(section, item, path, "each item here needs an id; known ids: %v", ids(base))
		}
		if seen[id] {
			return nil, f.problem(section, item, path, "id %q is used twice here, keep one", id)
		}
		seen[id] = true
		if err := f.mergeItem(section, sub(path, id), &out, item); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

func (f *userFile) mergeItem(section string, path []string, list, item *yaml.Node) error {
	id := path[len(path)-1]
	at := slices.IndexFunc(list.Content, func(n *yaml.Node) bool { return itemID(n) == id })
	_, remove := entry(item, "remove")
	switch {
	case remove != nil && remove.Value != "true":
		return f.problem(section, remove, path, "remove can only be true; leave it out to keep the item")
	case remove != nil && at < 0:
		return f.problem(section, item, path, "nothing to remove; %s", Choices(id, ids(list)))
	case remove != nil && len(item.Content) > 4:
		return f.problem(section, item, path, "is removed, so it needs no other keys")
	case remove != nil:
		list.Content = slices.Delete(list.Content, at, at+1)
		return nil
	case at < 0:
		list.Content = append(list.Content, item)
		return nil
	}
	merged, err := f.merge(section, path, list.Content[at], item)
	if err != nil {
		return err
	}
	list.Content[at] = merged
	return nil
}

func ids(list *yaml.Node) []string {
	out := make([]string, len(list.Content))
	for i, n := range list.Content {
		out[i] = itemID(n)
	}
	return out
}
