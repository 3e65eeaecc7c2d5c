package events

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// UnknownValue is a publisher's word that has no meaning here (EV-3a).
type UnknownValue struct {
	Field string   // its path, such as data.outcome
	Value string   // as sent
	Known []string // the words that are known
}

// UnknownValues returns the words of an event's data that the open vocabularies do not
// contain. They are kept as sent and read as the worse of their possible meanings.
func UnknownValues(data any) []UnknownValue {
	var out []UnknownValue
	eachWord(reflect.ValueOf(data), "data", func(path string, v reflect.Value, known []string) {
		if value := v.String(); value != "" && !slices.Contains(known, value) {
			out = append(out, UnknownValue{Field: path, Value: value, Known: known})
		}
	})
	return out
}

// settleWords replaces known words of open vocabularies by the contract's spelling: any
// case, snake_case, camelCase, kebab-case and common synonyms are read. data is a
// pointer.
func settleWords(data any) {
	eachWord(reflect.ValueOf(data), "", func(_ string, v reflect.Value, known []string) {
		if value := v.String(); value != "" && v.CanSet() && !slices.Contains(known, value) {
			v.SetString(settled(value, known))
		}
	})
}

// settled returns the known word that a value means, or the value itself.
func settled(value string, known []string) string {
	plain := plainWord(value)
	for _, word := range known {
		if plainWord(word) == plain {
			return word
		}
	}
	if word := synonyms[plain]; slices.Contains(known, word) {
		return word
	}
	return value
}

// synonyms maps words of other tools to ours.
var synonyms = map[string]string{
	"succeeded": "success", "successful": "success", "ok": "success", "okay": "success", "done": "success", "passed": "success", "pass": "success",
	"completed": "success", "finished": "success", "failed": "failure", "fail": "failure", "error": "failure", "errored": "failure", "crashed": "failure",
	"timedout": "timeout", "approve": "approved", "lgtm": "approved", "accepted": "approved", "reject": "rejected", "changesrequested": "rejected",
	"requestchanges": "rejected", "blocked": "blocking", "block": "blocking",
}

// plainWord returns a word in lower case without the marks that join its parts.
func plainWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(strings.TrimSpace(s)))
}

// eachWord calls take for every field of an open vocabulary, including those in nested
// structs and lists.
func eachWord(v reflect.Value, path string, take func(path string, v reflect.Value, known []string)) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range wordsOf(v.Type()) {
			name := path + "." + f.name
			if f.known != nil {
				take(name, v.Field(f.index), f.known)
			} else {
				eachWord(v.Field(f.index), name, take)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachWord(v.Index(i), path, take)
		}
	}
}

// wordField is a field of an open vocabulary, or, with a nil known, one that may contain
// such fields.
type wordField struct {
	index int
	name  string
	known []string
}

var wordCache sync.Map // reflect.Type → []wordField

func wordsOf(t reflect.Type) []wordField {
	if known, ok := wordCache.Load(t); ok {
		return known.([]wordField)
	}
	var out []wordField
	for i := range t.NumField() {
		f := t.Field(i)
		name := jsonName(f)
		if !f.IsExported() || name == "" || name == "-" {
			continue
		}
		known := tagged(f, "example=")
		inner := deref(f.Type)
		if inner.Kind() == reflect.Slice {
			inner = deref(inner.Elem())
		}
		switch {
		case len(known) > 0 && f.Type.Kind() == reflect.String:
			out = append(out, wordField{i, name, known})
		case inner.Kind() == reflect.Struct && strings.HasPrefix(inner.PkgPath(), t.PkgPath()) && t.PkgPath() != "":
			out = append(out, wordField{i, name, nil})
		}
	}
	wordCache.Store(t, out)
	return out
}
