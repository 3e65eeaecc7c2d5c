package config

import (
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/v2"
	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/nearest"
)

// Keys returns every setting by its dotted name, sorted.
func Keys() []string {
	var keys []string
	var walk func(t reflect.Type, prefix string)
	walk = func(t reflect.Type, prefix string) {
		for i := range t.NumField() {
			f := t.Field(i)
			key := prefix + f.Tag.Get("koanf")
			if f.Type.Kind() == reflect.Struct {
				walk(f.Type, key+".")
				continue
			}
			keys = append(keys, key)
		}
	}
	walk(reflect.TypeFor[Config](), "")
	sort.Strings(keys)
	return keys
}

// checkFile returns an error for unknown keys, with their lines, and records the position of each value.
func checkFile(path string, data []byte, origins map[string]string) error {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return fmt.Errorf("%s: not valid YAML: %w", path, err)
	}
	if len(document.Content) == 0 {
		return nil
	}
	known := map[string]bool{}
	for _, k := range Keys() {
		known[k] = true
	}
	var problems []error
	var walk func(n *yaml.Node, prefix string)
	walk = func(n *yaml.Node, prefix string) {
		for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
			name, value := n.Content[i], n.Content[i+1]
			key := prefix + name.Value
			where := fmt.Sprintf("%s:%d", path, name.Line)
			switch {
			case known[key] && value.Kind == yaml.MappingNode:
				problems = append(problems, fmt.Errorf("%s: %s must be %s, not a section of settings", where, key, kindOf(key)))
			case known[key]:
				origins[key] = where
			case isSection(key):
				if value.Kind != yaml.MappingNode {
					problems = append(problems, fmt.Errorf("%s: %s is a section; write its settings indented below it", where, key))
				}
				walk(value, key+".")
			default:
				problems = append(problems, fmt.Errorf("%s: unknown setting %s; %s", where, key, cure(key, Keys())))
			}
		}
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: the file must contain settings such as `nats:` with `url:` below it", path, root.Line)
	}
	walk(root, "")
	return errors.Join(problems...)
}

func isSection(key string) bool {
	for _, k := range Keys() {
		if strings.HasPrefix(k, key+".") {
			return true
		}
	}
	return false
}

// cure suggests what a misspelt name may have been meant to be.
func cure(name string, known []string) string {
	best := nearest.Name(name, known)
	if best == "" {
		return "known settings: " + strings.Join(known, ", ")
	}
	return fmt.Sprintf("did you mean %s?", best)
}

// decode fills the struct key by key, so that an error can name its origin.
func decode(values *koanf.Koanf, into *Config, origins map[string]string) error {
	var problems []error
	for _, key := range values.Keys() {
		nested := map[string]any{}
		at := nested
		parts := strings.Split(key, ".")
		for _, p := range parts[:len(parts)-1] {
			next := map[string]any{}
			at[p] = next
			at = next
		}
		at[parts[len(parts)-1]] = values.Get(key)
		decoder, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
			Result: into, TagName: "koanf", WeaklyTypedInput: true,
			DecodeHook: mapstructure.StringToTimeDurationHookFunc(),
		})
		if err != nil {
			return fmt.Errorf("prepare configuration: %w", err)
		}
		if err := decoder.Decode(nested); err != nil {
			problems = append(problems, fmt.Errorf("%s: %s = %v cannot be read as %s", origins[key], key, values.Get(key), kindOf(key)))
		}
	}
	return errors.Join(problems...)
}

// kindOf describes the values of a setting.
func kindOf(key string) string {
	t := reflect.TypeFor[Config]()
	for _, part := range strings.Split(key, ".") {
		for i := range t.NumField() {
			if t.Field(i).Tag.Get("koanf") == part {
				t = t.Field(i).Type
				break
			}
		}
	}
	switch {
	case t.String() == "time.Duration":
		return "a duration such as 30s, 15m or 2h"
	case t.Kind() == reflect.Int || t.Kind() == reflect.Int64:
		return "a whole number"
	case t.Kind() == reflect.Float64:
		return "a number"
	case t.Kind() == reflect.Slice:
		return "a list"
	}
	return "text"
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
