package events

import (
	"encoding/json"
	"reflect"
	"strings"
)

// UnknownFields are the top-level fields of an input event's data that its Go
// type does not know, as received (EV-3); nil where there are none.
func UnknownFields(e Event) map[string]json.RawMessage {
	if len(e.Raw) == 0 || e.Data == nil {
		return nil
	}
	var present map[string]json.RawMessage
	if json.Unmarshal(e.Raw, &present) != nil {
		return nil
	}
	known := knownFields(deref(reflect.TypeOf(e.Data)))
	for name := range present {
		if _, ok := known[strings.ToLower(name)]; ok {
			delete(present, name)
		}
	}
	if len(present) == 0 {
		return nil
	}
	return present
}
