package rules

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

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
