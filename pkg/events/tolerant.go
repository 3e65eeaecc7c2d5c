package events

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// tolerant rewrites the JSON of a run event the way its Go type reads it, for publishers
// that write it a little differently (EV-3a): field names in another spelling, numbers
// and flags as strings, a text in place of an object with one main field. Other JSON is
// returned unchanged.
func tolerant(data []byte, t reflect.Type) []byte {
	if adapted, changed := adapt(data, t); changed {
		return adapted
	}
	return data
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func adapt(raw []byte, t reflect.Type) (out []byte, changed bool) {
	t = deref(t)
	text, isText := jsonText(raw)
	if field := mainField[t.Name()]; isText && field != "" && t.Kind() == reflect.Struct {
		return encoded(map[string]string{field: text}, raw)
	}
	if reflect.PointerTo(t).Implements(unmarshaler) {
		return raw, false // decodes itself
	}
	switch t.Kind() {
	case reflect.Struct:
		return adaptObject(raw, t)
	case reflect.Slice:
		return adaptList(raw, t.Elem())
	case reflect.Int, reflect.Int64, reflect.Float64:
		if number := strings.TrimSpace(text); isText && isNumber(number) {
			return []byte(number), true
		}
	case reflect.Bool:
		if word := strings.ToLower(strings.TrimSpace(text)); isText && (word == "true" || word == "false") {
			return []byte(word), true
		}
	}
	return raw, false
}

// mainField names the field that a bare text is read as, by the name of the type.
var mainField = map[string]string{
	"Actor": "kind", "Finding": "text", "Scaffold": "file", "WaveAgent": "letter", "WaveBranch": "letter", "Criterion": "criterion", "Assumption": "assumption",
	"ChecklistItem": "item", "Lesson": "id", "Observation": "text", "OpenQuestion": "question", "ContextSection": "name", "Contradiction": "what",
	"CouncilMember": "agent_id", "Interpretation": "text", "Trigger": "id",
}

func adaptObject(raw []byte, t reflect.Type) ([]byte, bool) {
	var object map[string]json.RawMessage
	if !isObject(raw) || json.Unmarshal(raw, &object) != nil {
		return raw, false
	}
	fields, changed := knownFields(t), false
	for name, value := range object {
		field, known := fields[strings.ToLower(name)]
		if !known {
			if field, known = spelled(t, name, object); !known {
				continue
			}
			delete(object, name)
			object[field.name], changed = value, true
			name = field.name
		}
		if value, adapted := adapt(value, field.typ); adapted {
			object[name], changed = value, true
		}
	}
	if !changed {
		return raw, false
	}
	return encoded(object, raw)
}

// spelled finds the field that a name in another spelling means, unless the object also
// has that field itself.
func spelled(t reflect.Type, name string, object map[string]json.RawMessage) (knownField, bool) {
	plain := plainWord(name)
	for _, f := range knownFields(t) {
		if plainWord(f.name) != plain {
			continue
		}
		if _, there := object[f.name]; !there {
			return f, true
		}
	}
	return knownField{}, false
}

func adaptList(raw []byte, item reflect.Type) ([]byte, bool) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return raw, false
	}
	changed := false
	for i := range list {
		if value, adapted := adapt(list[i], item); adapted {
			list[i], changed = value, true
		}
	}
	if !changed {
		return raw, false
	}
	return encoded(list, raw)
}

func encoded(value any, original []byte) ([]byte, bool) {
	out, err := json.Marshal(value)
	if err != nil {
		return original, false
	}
	return out, true
}

func jsonText(raw []byte) (text string, is bool) {
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return text, true
}

// isNumber reports whether JSON reads a text as a number.
func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && json.Valid([]byte(s))
}
