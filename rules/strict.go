package rules

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// typeCheck compares YAML with a Go type before decoding, because yaml.Node decoding
// neither refuses unknown keys nor knows which file a line is in.
type typeCheck struct {
	set     *Set
	section string
}

func (s *Set) checkTypes(section string, node *yaml.Node, into any) error {
	t := reflect.TypeOf(into)
	if t == nil || t.Kind() != reflect.Pointer {
		return fmt.Errorf("rules: section %s: decode into a pointer, not %T", section, into)
	}
	return typeCheck{s, section}.check(node, nil, t.Elem(), "")
}

var (
	yamlUnmarshaler = reflect.TypeFor[yaml.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (c typeCheck) check(node *yaml.Node, path []string, t reflect.Type, tag reflect.StructTag) error {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch texts := node.Kind == yaml.SequenceNode; {
	case t == wordsType, texts && reflect.PointerTo(t).Implements(boundType):
		return c.list(node, path, textsType, tag)
	case reflect.PointerTo(t).Implements(boundType):
		return c.scalar(node, path, textsType.Elem(), tag)
	}
	own := reflect.PointerTo(t).Implements(yamlUnmarshaler) || reflect.PointerTo(t).Implements(textUnmarshaler)
	if own || t.Kind() == reflect.Interface {
		return c.scalar(node, path, t, tag)
	}
	switch t.Kind() {
	case reflect.Struct:
		return c.structure(node, path, t)
	case reflect.Map:
		return c.mapping(node, path, t, tag)
	case reflect.Slice, reflect.Array:
		return c.list(node, path, t, tag)
	default:
		return c.scalar(node, path, t, tag)
	}
}

func (c typeCheck) structure(node *yaml.Node, path []string, t reflect.Type) error {
	if node.Kind != yaml.MappingNode {
		return c.set.user.problem(c.section, node, path, "want a mapping, got %s", kindName(node.Kind))
	}
	fields := map[string]reflect.StructField{}
	names, open := fieldNames(t, fields), keepsRest(t)
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		field, ok := fields[key.Value]
		if !ok && open {
			continue
		}
		if !ok {
			return c.set.user.problem(c.section, key, path, "unknown key %q; %s", key.Value, Choices(key.Value, names))
		}
		if err := c.check(value, sub(path, key.Value), field.Type, field.Tag); err != nil {
			return err
		}
	}
	return nil
}

// keepsRest reports whether a struct accepts keys without a field of their own, in an
// inlined map, because it reads a part of a section that is checked elsewhere.
func keepsRest(t reflect.Type) bool {
	for i := range t.NumField() {
		if f := t.Field(i); f.Type.Kind() == reflect.Map && f.Tag.Get("yaml") == ",inline" {
			return true
		}
	}
	return false
}

// fieldNames collects a struct's YAML keys, including those of inlined structs.
func fieldNames(t reflect.Type, into map[string]reflect.StructField) []string {
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		if !f.IsExported() || len(f.Index) > 1 {
			continue
		}
		name, inline := yamlName(f)
		if inline && f.Type.Kind() == reflect.Struct {
			names = append(names, fieldNames(f.Type, into)...)
			continue
		}
		if name != "-" {
			into[name] = f
			names = append(names, name)
		}
	}
	return names
}

func (c typeCheck) mapping(node *yaml.Node, path []string, t reflect.Type, tag reflect.StructTag) error {
	if node.Kind != yaml.MappingNode {
		return c.set.user.problem(c.section, node, path, "want a mapping, got %s", kindName(node.Kind))
	}
	for i := 0; i < len(node.Content); i += 2 {
		if err := c.check(node.Content[i+1], sub(path, node.Content[i].Value), t.Elem(), tag); err != nil {
			return err
		}
	}
	return nil
}

func (c typeCheck) list(node *yaml.Node, path []string, t reflect.Type, tag reflect.StructTag) error {
	if node.Kind != yaml.SequenceNode {
		return c.set.user.problem(c.section, node, path, "want a list, got %s", kindName(node.Kind))
	}
	for i, item := range node.Content {
		step := itemID(item)
		if step == "" {
			step = strconv.Itoa(i)
		}
		if err := c.check(item, sub(path, step), t.Elem(), tag); err != nil {
			return err
		}
	}
	return nil
}

func (c typeCheck) scalar(node *yaml.Node, path []string, t reflect.Type, tag reflect.StructTag) error {
	if node.Kind != yaml.ScalarNode && t.Kind() == reflect.String {
		return c.set.user.problem(c.section, node, path, "want text, got %s", kindName(node.Kind))
	}
	value := reflect.New(t)
	if err := node.Decode(value.Interface()); err != nil || (node.Tag == "!!null" && t.Kind() != reflect.Interface) {
		return c.set.user.problem(c.section, node, path, "want %s, got %q", scalarName(t), node.Value)
	}
	if why := outside(value.Elem(), tag); why != "" {
		return c.set.user.problem(c.section, node, path, "%s", why)
	}
	return nil
}

func scalarName(t reflect.Type) string {
	if t == reflect.TypeFor[time.Duration]() {
		return "a duration such as 90s, 45m or 4h"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String, reflect.Struct: // a struct here decodes itself from text
		return "text"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number from 0"
	default:
		return t.String()
	}
}

// outside describes why a value violates its field's `range:"0..1"` (numbers, both ends
// included, either may be omitted) or `allow:"a|b"` tag (text); "" if it does not. For a
// list or map the tag applies to each element.
func outside(v reflect.Value, tag reflect.StructTag) string {
	if allowed := tag.Get("allow"); allowed != "" && v.Kind() == reflect.String {
		if words := strings.Split(allowed, "|"); !slices.Contains(words, v.String()) {
			return fmt.Sprintf("%q is not allowed; %s", v.String(), Choices(v.String(), words))
		}
	}
	span := tag.Get("range")
	if span == "" {
		return ""
	}
	number, ok := asFloat(v)
	if !ok {
		return ""
	}
	low, high, _ := strings.Cut(span, "..")
	if below(number, low) || below(-number, negated(high)) {
		return fmt.Sprintf("%v is out of range, allowed is %s", v.Interface(), rangeText(low, high))
	}
	return ""
}

func asFloat(v reflect.Value) (float64, bool) {
	switch {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}

// below reports whether number < limit; a NaN is below every limit, and nothing is below
// a missing one.
func below(number float64, limit string) bool {
	if limit == "" {
		return false
	}
	l, err := strconv.ParseFloat(limit, 64)
	return err != nil || !(number >= l)
}

func negated(limit string) string {
	if limit == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(limit, "-"); ok {
		return rest
	}
	return "-" + limit
}

func rangeText(low, high string) string {
	switch {
	case low == "":
		return "at most " + high
	case high == "":
		return "at least " + low
	}
	return low + " to " + high
}
