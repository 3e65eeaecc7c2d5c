package events

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// keepUnknown adds to the JSON of a known value the fields that its original has and its
// Go type does not know, at every depth where both are objects, or lists of the same
// length (EV-3). The values of known fields always come from known, so a value that a
// stage removed stays removed.
func keepUnknown(known, original []byte, t reflect.Type) ([]byte, error) {
	t = deref(t)
	if t.Kind() == reflect.Slice && deref(t.Elem()).Kind() == reflect.Struct {
		return keepUnknownItems(known, original, t.Elem())
	}
	if t.Kind() != reflect.Struct || t.Implements(marshaler) || !isObject(known) || !isObject(original) {
		return known, nil // a type with its own encoding decides what it keeps
	}
	var mine, theirs map[string]json.RawMessage
	if json.Unmarshal(known, &mine) != nil || json.Unmarshal(original, &theirs) != nil {
		return known, nil
	}
	fields := knownFields(t)
	changed := false
	var added []string
	for name, value := range theirs {
		f, ok := fields[strings.ToLower(name)]
		if !ok {
			added = append(added, name)
			continue
		}
		if inner, present := mine[f.name]; present {
			merged, err := keepUnknown(inner, value, f.typ)
			if err != nil {
				return nil, err
			}
			changed = changed || !bytes.Equal(merged, inner)
			mine[f.name] = merged
		}
	}
	if len(added) == 0 && !changed {
		return known, nil
	}
	slices.Sort(added)
	return writeObject(t, mine, theirs, added)
}

func keepUnknownItems(known, original []byte, item reflect.Type) ([]byte, error) {
	var mine, theirs []json.RawMessage
	if json.Unmarshal(known, &mine) != nil || json.Unmarshal(original, &theirs) != nil || len(mine) != len(theirs) {
		return known, nil
	}
	for i := range mine {
		merged, err := keepUnknown(mine[i], theirs[i], item)
		if err != nil {
			return nil, err
		}
		mine[i] = merged
	}
	return json.Marshal(mine)
}

// writeObject writes the known fields in the order of the Go type, then the added ones.
func writeObject(t reflect.Type, mine, theirs map[string]json.RawMessage, added []string) ([]byte, error) {
	var out bytes.Buffer
	write := func(name string, value json.RawMessage) error {
		if out.Len() > 0 {
			out.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		out.Write(key)
		out.WriteByte(':')
		return json.Compact(&out, value)
	}
	for _, name := range fieldOrder(t) {
		if value, ok := mine[name]; ok {
			if err := write(name, value); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range added {
		if err := write(name, theirs[name]); err != nil {
			return nil, err
		}
	}
	return slices.Concat([]byte("{"), out.Bytes(), []byte("}")), nil
}

var marshaler = reflect.TypeFor[json.Marshaler]()

type knownField struct {
	name string
	typ  reflect.Type
}

type structFields struct {
	byName map[string]knownField // by lower-case name, as encoding/json matches
	order  []string
}

var fieldCache sync.Map // reflect.Type → structFields

func fieldsOf(t reflect.Type) structFields {
	if v, ok := fieldCache.Load(t); ok {
		return v.(structFields)
	}
	out := structFields{byName: map[string]knownField{}}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		out.byName[strings.ToLower(name)] = knownField{name: name, typ: f.Type}
		out.order = append(out.order, name)
	}
	fieldCache.Store(t, out)
	return out
}

func knownFields(t reflect.Type) map[string]knownField { return fieldsOf(t).byName }

func fieldOrder(t reflect.Type) []string { return fieldsOf(t).order }

func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

func isObject(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) > 0 && b[0] == '{'
}
