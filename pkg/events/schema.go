package events

import (
	"embed"
	"fmt"
)

//go:embed schema/*.json
var schemaFiles embed.FS

// SchemaID returns the URN that a type's JSON Schema carries as $id; an event may have it in its
// dataschema attribute.
func SchemaID(t Type) string { return "urn:scaffoldwatch:schema:" + string(t) }

// Schema returns the JSON Schema (draft 2020-12) of the data of a type. It fails for an
// unknown type.
func Schema(t Type) ([]byte, error) {
	data, err := schemaFiles.ReadFile("schema/" + string(t) + ".json")
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, unknownType(t))
	}
	return data, nil
}
