package config

import (
	"reflect"
	"sort"
)

// Changed returns the settings in which two configurations differ, by their dotted names.
func Changed(a, b Config) []string {
	var keys []string
	var walk func(x, y reflect.Value, prefix string)
	walk = func(x, y reflect.Value, prefix string) {
		for i := range x.NumField() {
			key := prefix + x.Type().Field(i).Tag.Get("koanf")
			switch {
			case x.Field(i).Kind() == reflect.Struct:
				walk(x.Field(i), y.Field(i), key+".")
			case !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()):
				keys = append(keys, key)
			}
		}
	}
	walk(reflect.ValueOf(a), reflect.ValueOf(b), "")
	sort.Strings(keys)
	return keys
}
