package events

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// UnknownValue is a word of a publisher that has no meaning here (EV-3a).
type UnknownValue struct {
	Field string   // its path, e.g. data.outcome
	Value string   // as it was sent
	Known []string // the words that have one
}

// UnknownValues lists the words of an event's data that open vocabularies do not
// know. They are kept as they are, and read as the worse of what they could mean.
func UnknownValues(data any) []UnknownValue {
	var out []UnknownValue
	eachWord(reflect.ValueOf(data), "data", func(path string, v reflect.Value, known []string) {
		if value := v.String(); value != "" && !slices.Contains(known, value) {
			out = append(out, UnknownValue{Field: path, Value: value, Known: known})
		}
	})
	return out
}

// settleWords writes the known words of open vocabularies in the contract's
// spelling: any case, snake_case, camelCase and kebab-case are read, and the usual
// synonyms. data is a pointer.
func settleWords(data any) {
	eachWord(reflect.ValueOf(data), "", func(_ string, v reflect.Value, known []string) {
		if value := v.String(); value != "" && v.CanSet() && !slices.Contains(known, value) {
			v.SetString(settled(value, known))
		}
	})
}

// settled is the known word that a value means, else the value.
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

// synonyms are words that other tools use, each with ours.
var synonyms = map[string]string{
	"succeeded": "success", "successful": "success", "ok": "success", "okay": "success", "done": "success", "passed": "success", "pass": "success",
	"completed": "success", "finished": "success", "failed": "failure", "fail": "failure", "error": "failure", "errored": "failure", "crashed": "failure",
	"timedout": "timeout", "approve": "approved", "lgtm": "approved", "accepted": "approved", "reject": "rejected", "changesrequested": "rejected",
	"requestchanges": "rejected", "blocked": "blocking", "block": "blocking",
}

// plainWord is a word without case and the marks that join its parts.
func plainWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(strings.TrimSpace(s)))
}

// eachWord calls take with every field of an open vocabulary, also in nested
// structs and lists of them.
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

// wordField is a field of an open vocabulary, or with known nil one that may hold some.
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
