package rules

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Difference is a setting with different values in two sets of rules.
type Difference struct {
	Path string `json:"path"` // with dots: dispatch.thresholds.fire
	// Was and Is are YAML on one line; "" for a missing setting.
	Was string `json:"was"`
	Is  string `json:"is"`
}

// Differences returns what must be changed in one set of rules to get another, by path.
func Differences(from, to *Set) ([]Difference, error) {
	sections := differentSections(from.shipped, to.shipped)
	for name := range from.changed {
		sections[name] = true
	}
	for name := range to.changed {
		sections[name] = true
	}
	var out []Difference
	if !bytes.Equal(from.shipped.overlay, to.shipped.overlay) {
		out = append(out, Difference{Path: "secrets.toml", Was: digest(from.shipped.overlay), Is: digest(to.shipped.overlay)})
	}
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		was, err := from.Values(name)
		if err != nil {
			return nil, err
		}
		is, err := to.Values(name)
		if err != nil {
			return nil, err
		}
		paths := maps.Clone(was)
		maps.Copy(paths, is)
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			if was[path] != is[path] {
				out = append(out, Difference{Path: path, Was: was[path], Is: is[path]})
			}
		}
	}
	return out, nil
}

// differentSections returns the sections whose shipped text differs between two builds.
func differentSections(from, to *shipped) map[string]bool {
	out := map[string]bool{}
	if from == to {
		return out
	}
	texts := map[string][]byte{}
	for i, path := range from.paths {
		texts[path] = from.texts[i]
		out[strings.TrimSuffix(path, ".yaml")] = true
	}
	for i, path := range to.paths {
		if was, known := texts[path]; known && bytes.Equal(was, to.texts[i]) {
			delete(out, strings.TrimSuffix(path, ".yaml"))
			continue
		}
		out[strings.TrimSuffix(path, ".yaml")] = true
	}
	return out
}

// digest returns a name for a text that is too long to show.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256 " + hex.EncodeToString(sum[:6])
}

// Values returns the settings of a section by path, as YAML on one line; none for an
// unknown section.
func (s *Set) Values(section string) (map[string]string, error) {
	if s.changed[section] == nil && s.shipped.sections[section] == nil {
		return map[string]string{}, nil
	}
	node, err := s.section(section)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	walk(section, node, func(path string, value *yaml.Node) { out[path] = onOneLine(value) })
	return out, nil
}

// onOneLine returns a value as YAML in flow style without comments.
func onOneLine(node *yaml.Node) string {
	if node.Kind == yaml.ScalarNode {
		return node.Value
	}
	parts := make([]string, 0, len(node.Content))
	for i, c := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 1 {
			parts[len(parts)-1] += ": " + onOneLine(c)
			continue
		}
		parts = append(parts, onOneLine(c))
	}
	if node.Kind == yaml.MappingNode {
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Section returns the section of the setting.
func (d Difference) Section() string {
	section, _, _ := strings.Cut(d.Path, ".")
	return section
}
