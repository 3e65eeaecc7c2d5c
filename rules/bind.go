package rules

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Bound is a value of rule data that [Set.Decode] prepares after decoding it, such as an
// expression. Its type decodes itself from a text or a list of texts.
type Bound interface {
	// Bind prepares the value according to the tag of its field. If check is set the data
	// may be invalid, and Bind returns the error; otherwise it may defer expensive work.
	// It returns false for an absent value, and the field is then nil.
	Bind(tag reflect.StructTag, check bool) (present bool, err error)
}

// ErrAbsent is returned by Bind for a required value that the data lacks.
var ErrAbsent = errors.New("is missing; give an expression")

// Words is a list of rule data as a set of words.
type Words map[string]bool

// Lookup returns a list of rule data as a set of words.
func Lookup(words []string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}

// UnmarshalYAML reads the list.
func (w *Words) UnmarshalYAML(node *yaml.Node) error {
	list, err := Texts(node)
	*w = Lookup(list)
	return err
}

// Texts returns the texts of a list, or a single one.
func Texts(node *yaml.Node) ([]string, error) {
	if node.Kind == yaml.ScalarNode {
		return []string{node.Value}, nil
	}
	out := make([]string, 0, len(node.Content))
	for _, item := range node.Content {
		if item.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("line %d: want text, got %s", item.Line, kindName(item.Kind))
		}
		out = append(out, item.Value)
	}
	if node.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("line %d: want a list of texts, got %s", node.Line, kindName(node.Kind))
	}
	return out, nil
}

var (
	boundType = reflect.TypeFor[Bound]()
	wordsType = reflect.TypeFor[Words]()
	textsType = reflect.TypeFor[[]string]()
)

// binder prepares the Bound values of a decoded section.
type binder struct {
	set     *Set
	section string
	root    *yaml.Node
	check   bool
}

func (b binder) value(v reflect.Value, path []string, tag reflect.StructTag) error {
	if !holdsBound(v.Type()) {
		return nil
	}
	if v.Kind() == reflect.Pointer && v.Type().Implements(boundType) {
		return b.bind(v, path, tag)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return b.value(v.Elem(), path, tag)
		}
	case reflect.Struct:
		return b.fields(v, path)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := b.value(v.Index(i), b.step(path, i), tag); err != nil {
				return err
			}
		}
	case reflect.Map:
		return b.entries(v, path, tag)
	}
	return nil
}

// bind prepares one value. An error in a text of a list is reported at that text.
func (b binder) bind(v reflect.Value, path []string, tag reflect.StructTag) error {
	if v.IsNil() {
		if !b.check {
			return nil
		}
		_, err := reflect.New(v.Type().Elem()).Interface().(Bound).Bind(tag, true)
		return b.problem(path, err)
	}
	if list := lookup(b.root, path); b.check && list.Kind == yaml.SequenceNode {
		for i, item := range list.Content {
			if err := bindItem(item, v.Type().Elem(), tag); err != nil {
				return b.problem(sub(path, strconv.Itoa(i)), err)
			}
		}
	}
	present, err := v.Interface().(Bound).Bind(tag, b.check)
	if err == nil && !present {
		v.SetZero()
	}
	return b.problem(path, err)
}

// bindItem returns the error of a single text of a list.
func bindItem(item *yaml.Node, t reflect.Type, tag reflect.StructTag) error {
	one := reflect.New(t)
	if err := item.Decode(one.Interface()); err != nil {
		return err
	}
	_, err := one.Interface().(Bound).Bind(tag, true)
	return err
}

// problem adds the place to an error; it returns nil for none.
func (b binder) problem(path []string, err error) error {
	if err == nil {
		return nil
	}
	return b.set.user.problem(b.section, lookup(b.root, path), path, "%v", err)
}

func (b binder) fields(v reflect.Value, path []string) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, inline := yamlName(f)
		if name == "-" || !f.IsExported() {
			continue
		}
		at := path
		if !inline && b.check {
			at = sub(path, name)
		}
		if err := b.value(v.Field(i), at, f.Tag); err != nil {
			return err
		}
	}
	return nil
}

func (b binder) entries(v reflect.Value, path []string, tag reflect.StructTag) error {
	keys := v.MapKeys()
	if b.check { // report the same of several errors each time
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	for _, key := range keys {
		at := path
		if b.check {
			at = sub(path, fmt.Sprint(key))
		}
		value := reflect.New(v.Type().Elem()).Elem() // an entry cannot be changed in place
		value.Set(v.MapIndex(key))
		if err := b.value(value, at, tag); err != nil {
			return err
		}
		v.SetMapIndex(key, value)
	}
	return nil
}

// step returns the path of a list's item: by its id, if it has one.
func (b binder) step(path []string, i int) []string {
	if !b.check {
		return nil
	}
	step := strconv.Itoa(i)
	if list := lookup(b.root, path); list.Kind == yaml.SequenceNode && i < len(list.Content) && itemID(list.Content[i]) != "" {
		step = itemID(list.Content[i])
	}
	return sub(path, step)
}

// yamlName returns the key of a field, and whether its own fields are inlined.
func yamlName(f reflect.StructField) (name string, inline bool) {
	name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	if name == "" {
		name = strings.ToLower(f.Name) // yaml's own default
	}
	return name, slices.Contains(strings.Split(options, ","), "inline")
}

// bound caches which types contain something that is Bound.
var bound sync.Map

func holdsBound(t reflect.Type) bool {
	if known, ok := bound.Load(t); ok {
		return known.(bool)
	}
	holds := search(t, map[reflect.Type]bool{})
	bound.Store(t, holds)
	return holds
}

// search searches a type, which may contain itself.
func search(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if t.Kind() == reflect.Pointer && t.Implements(boundType) {
		return true
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return search(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if name, _ := yamlName(f); name != "-" && f.IsExported() && search(f.Type, seen) {
				return true
			}
		}
	}
	return false
}
