package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// checkFields applies to an event's data what its Go type says, the same that
// its JSON Schema says: a field without omitempty must be there, a required
// text must not be empty, an enumerated one must hold one of its values, and
// session, run and agent ids must pass [ValidID].
func checkFields(e Event) error {
	return checkStruct(reflect.ValueOf(e.Data).Elem(), e.Raw, "data")
}

func checkStruct(v reflect.Value, raw []byte, path string) error {
	present := presentFields(raw)
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		value, known := present[strings.ToLower(name)]
		if !optional(f) && present != nil && !known {
			return missingField(path+"."+name, "is missing")
		}
		if err := checkValue(v.Field(i), f, value, path+"."+name); err != nil {
			return err
		}
	}
	return nil
}

func checkValue(v reflect.Value, f reflect.StructField, raw json.RawMessage, path string) error {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		if v.Len() == 0 && !optional(f) {
			return missingField(path, "is empty")
		}
		if isIDField(path) && v.Len() > 0 && !ValidID(v.String()) {
			return badID(path, v.String())
		}
		return checkEnum(f, v.String(), path)
	case reflect.Int, reflect.Int64:
		if v.Int() == 0 && optional(f) {
			return nil
		}
		return checkEnum(f, strconv.FormatInt(v.Int(), 10), path)
	case reflect.Struct:
		if !optional(f) || !v.IsZero() {
			return checkNested(v, raw, path)
		}
	case reflect.Slice:
		return checkItems(v, raw, path)
	}
	return nil
}

// checkNested leaves alone types that read themselves, such as an Agent given
// as a bare id, but for the ids in them.
func checkNested(v reflect.Value, raw []byte, path string) error {
	if a, ok := v.Interface().(Agent); ok {
		if a.ID != "" && !ValidID(a.ID) {
			return badID(path+".id", a.ID)
		}
		return nil
	}
	if v.Type().Implements(marshaler) {
		return nil
	}
	return checkStruct(v, raw, path)
}

func checkItems(v reflect.Value, raw []byte, path string) error {
	if v.Type().Elem().Kind() != reflect.Struct {
		return nil
	}
	items, _ := arrayItems(raw)
	if len(items) != v.Len() {
		items = make([][]byte, v.Len())
	}
	for i := range v.Len() {
		if err := checkNested(v.Index(i), items[i], fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

// isIDField names the fields that subjects are or may be built from (EV-3).
func isIDField(path string) bool {
	return slices.Contains([]string{"data.session", "data.run", "data.agent_id", "data.parent_session"}, path)
}

func checkEnum(f reflect.StructField, value, path string) error {
	if value == "" {
		return nil
	}
	allowed := enumOf(f)
	if len(allowed) == 0 || slices.Contains(allowed, value) {
		return nil
	}
	return &InvalidError{Code: CodeBadValue, Field: path, Problem: quoteShort(value) + " is not allowed", Cure: "use one of " + strings.Join(allowed, ", ")}
}

func enumOf(f reflect.StructField) []string {
	var out []string
	for part := range strings.SplitSeq(f.Tag.Get("jsonschema"), ",") {
		if value, ok := strings.CutPrefix(part, "enum="); ok {
			out = append(out, value)
		}
	}
	return out
}

func missingField(path, how string) *InvalidError {
	return &InvalidError{Code: CodeMissingField, Field: path, Problem: how, Cure: "see the JSON Schema of the type"}
}

// presentFields are the fields of a JSON object by lower-case name, with their
// values; nil when there is no original to look at.
func presentFields(raw []byte) map[string]json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	out := map[string]json.RawMessage{}
	if string(bytes.TrimSpace(raw)) == "null" {
		return out
	}
	whole := eachMember(raw, func(name string, value []byte) {
		if string(value) != "null" { // null says nothing, as if it were not there
			out[strings.ToLower(name)] = value
		}
	})
	if !whole {
		return nil
	}
	return out
}
