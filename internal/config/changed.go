package config

import (
	"reflect"
	"sort"
	"strings"
)

// Changed returns the settings in which two configurations differ, by their dotted names.
func Changed(a, b Config) []string {
	var keys []string
	other := map[string]any{}
	each(b, func(key string, _ reflect.StructTag, value reflect.Value) { other[key] = value.Interface() })
	each(a, func(key string, _ reflect.StructTag, value reflect.Value) {
		if !reflect.DeepEqual(value.Interface(), other[key]) {
			keys = append(keys, key)
		}
	})
	sort.Strings(keys)
	return keys
}

// Files returns the files that a configuration names, by key.
func Files(c Config) map[string]string {
	files := map[string]string{}
	each(c, func(key string, tag reflect.StructTag, value reflect.Value) {
		if name := value.String(); tag.Get("names") == "file" && name != "" && !strings.HasPrefix(name, "$") {
			files[key] = name
		}
	})
	return files
}

// each visits every setting with its key.
func each(c Config, visit func(key string, tag reflect.StructTag, value reflect.Value)) {
	var walk func(v reflect.Value, prefix string)
	walk = func(v reflect.Value, prefix string) {
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if key := prefix + field.Tag.Get("koanf"); v.Field(i).Kind() == reflect.Struct {
				walk(v.Field(i), key+".")
			} else {
				visit(key, field.Tag, v.Field(i))
			}
		}
	}
	walk(reflect.ValueOf(c), "")
}
