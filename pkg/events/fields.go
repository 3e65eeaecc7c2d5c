package events

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// checkFields checks an event's data against its Go type, with the same rules as its JSON
// Schema: a field without omitempty must be present, a required text must not be empty,
// an enumerated one must hold one of its values, one with a limit must not be longer, and
// session, run and agent ids must pass [ValidID].
func checkFields(e Event) error {
	if err := checkStruct(reflect.ValueOf(e.Data).Elem(), e.Raw, true); err != nil {
		return within("data.", err)
	}
	return nil
}

// checkStruct returns the first invalid field, with its path from here; top marks the
// event's data itself.
func checkStruct(v reflect.Value, raw []byte, top bool) *invalid.Error {
	rules := rulesOf(v.Type())
	values, known := rules.values(raw)
	for i := range rules.fields {
		f := &rules.fields[i]
		if known && !f.optional && values[i] == nil {
			return missingField(f.name, "is missing")
		}
		if err := f.check(v.Field(f.index), values[i], top); err != nil {
			return err
		}
	}
	return nil
}

func (f *fieldRule) check(v reflect.Value, raw []byte, top bool) *invalid.Error {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		if v.Len() == 0 && !f.optional {
			return missingField(f.name, "is empty")
		}
		if top && f.isID && v.Len() > 0 && !ValidID(v.String()) {
			return badID(f.name, v.String())
		}
		if err := f.checkLength(v.String()); err != nil {
			return err
		}
		return f.checkEnum(v.String())
	case reflect.Int, reflect.Int64:
		if len(f.allowed) > 0 && (v.Int() != 0 || !f.optional) {
			return f.checkEnum(strconv.FormatInt(v.Int(), 10))
		}
	case reflect.Struct:
		if !f.optional || !v.IsZero() {
			return within(f.name+".", checkNested(v, raw))
		}
	case reflect.Slice:
		return f.checkItems(v, raw)
	}
	return nil
}

// checkNested skips types that decode themselves, such as an Agent given as a bare id,
// except for the ids in them.
func checkNested(v reflect.Value, raw []byte) *invalid.Error {
	if v.Type() == agentType {
		if id := v.Interface().(sessionevents.Agent).ID; id != "" && !ValidID(id) {
			return badID("id", id)
		}
		return nil
	}
	if v.Type().Implements(marshaler) {
		return nil
	}
	return checkStruct(v, raw, false)
}

var agentType = reflect.TypeFor[sessionevents.Agent]()

func (f *fieldRule) checkItems(v reflect.Value, raw []byte) *invalid.Error {
	if v.Type().Elem().Kind() != reflect.Struct {
		return nil
	}
	items, _ := arrayItems(raw)
	if len(items) != v.Len() {
		items = make([][]byte, v.Len())
	}
	for i := range v.Len() {
		if err := checkNested(v.Index(i), items[i]); err != nil {
			return within(fmt.Sprintf("%s[%d].", f.name, i), err)
		}
	}
	return nil
}

func within(path string, err *invalid.Error) *invalid.Error {
	if err != nil {
		err.Field = path + err.Field
	}
	return err
}

func (f *fieldRule) checkEnum(value string) *invalid.Error {
	if value == "" || len(f.allowed) == 0 || slices.Contains(f.allowed, value) {
		return nil
	}
	return &invalid.Error{Code: invalid.BadValue, Field: f.name, Problem: invalid.Quote(value) + " is not allowed", Cure: "use one of " + strings.Join(f.allowed, ", ")}
}

// checkLength counts characters, as JSON Schema does.
func (f *fieldRule) checkLength(value string) *invalid.Error {
	if f.most == 0 || len(value) <= f.most || utf8.RuneCountInString(value) <= f.most {
		return nil
	}
	return &invalid.Error{
		Code: invalid.TooLarge, Field: f.name, Problem: fmt.Sprintf("%d characters, the limit is %d", utf8.RuneCountInString(value), f.most),
		Cure: "use a shorter one, such as its hash",
	}
}

func missingField(path, how string) *invalid.Error {
	return &invalid.Error{Code: invalid.MissingField, Field: path, Problem: how, Cure: "see the JSON Schema of the type"}
}

// typeRules are the rules of a struct type's fields.
type typeRules struct {
	fields []fieldRule
	places map[string]int // lower-case name → place in fields
}

// fieldRule is what a field's tags require.
type fieldRule struct {
	index    int
	name     string // in JSON
	optional bool
	allowed  []string
	most     int  // in characters, 0: unlimited
	isID     bool // top level only: subjects are or may be built from it (EV-3)
}

var idFields = []string{"session", "run", "agent_id", "parent_session"}

var ruleCache sync.Map // reflect.Type → *typeRules

func rulesOf(t reflect.Type) *typeRules {
	if r, ok := ruleCache.Load(t); ok {
		return r.(*typeRules)
	}
	r := &typeRules{places: map[string]int{}}
	for i := range t.NumField() {
		f := t.Field(i)
		name := jsonName(f)
		if name == "" || name == "-" {
			continue
		}
		r.places[strings.ToLower(name)] = len(r.fields)
		r.fields = append(r.fields, fieldRule{
			index: i, name: name, optional: optional(f), allowed: enumOf(f), isID: slices.Contains(idFields, name), most: lengthOf(f),
		})
	}
	ruleCache.Store(t, r)
	return r
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func enumOf(f reflect.StructField) []string { return tagged(f, "enum=") }

// lengthOf returns the maximum length of a text in characters, 0 for unlimited.
func lengthOf(f reflect.StructField) int {
	for _, value := range tagged(f, "maxLength=") {
		if most, err := strconv.Atoi(value); err == nil {
			return most
		}
	}
	return 0
}

// tagged returns the values that a field's tag lists after a word.
func tagged(f reflect.StructField, word string) []string {
	var out []string
	for part := range strings.SplitSeq(f.Tag.Get("jsonschema"), ",") {
		if value, ok := strings.CutPrefix(part, word); ok {
			out = append(out, value)
		}
	}
	return out
}

// values returns the values of the fields in a JSON object, nil for a missing one; null
// counts as missing. Known is false without an original.
func (r *typeRules) values(raw []byte) (values [][]byte, known bool) {
	values = make([][]byte, len(r.fields))
	if string(bytes.TrimSpace(raw)) == "null" {
		return values, true
	}
	whole := eachMember(raw, func(name, value []byte) {
		place, ok := r.places[string(name)]
		if !ok {
			place, ok = r.places[strings.ToLower(string(name))]
		}
		if ok && string(value) != "null" {
			values[place] = value
		}
	})
	if !whole {
		return make([][]byte, len(r.fields)), false
	}
	return values, true
}
