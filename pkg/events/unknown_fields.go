package events

import (
	"encoding/json"
	"reflect"
	"strings"
)

// UnknownFields returns the top-level fields of an input event's data that its Go type
// does not know, as received (EV-3), or nil if there are none.
func (e Event) UnknownFields() map[string]json.RawMessage {
	if len(e.Raw) == 0 || e.Data == nil {
		return nil
	}
	known := knownFields(deref(reflect.TypeOf(e.Data)))
	var unknown map[string]json.RawMessage
	eachMember(e.Raw, func(name, value []byte) {
		if _, ok := known[strings.ToLower(string(name))]; ok {
			return
		}
		if unknown == nil {
			unknown = map[string]json.RawMessage{}
		}
		unknown[string(name)] = value
	})
	return unknown
}
