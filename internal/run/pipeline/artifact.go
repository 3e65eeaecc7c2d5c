package pipeline

import (
	"encoding/json"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// field is a field of an artifact, nil where it has none.
func field(a runevents.Artifact, name string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(document(a), &fields) != nil {
		return nil
	}
	return fields[name]
}

// filled reports whether a field has content.
func filled(a runevents.Artifact, name string) bool {
	switch string(field(a, name)) {
	case "", "null", "[]", `""`, "{}":
		return false
	}
	return true
}

// texts are the strings of a field.
func texts(a runevents.Artifact, name string) []string {
	var out []string
	if json.Unmarshal(field(a, name), &out) != nil {
		return nil
	}
	return out
}
