package schema

import (
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a contract that documents can be checked against. It is read-only
// and may be shared.
type Schema struct {
	compiled *jsonschema.Schema
	steps    int // maximum cost of checking one value
}

// location names the only document that a schema may refer to: itself.
const location = "contract:///schema.json"

// Compile compiles a JSON Schema. Its errors are written for the author of the schema.
func Compile(text []byte) (*Schema, error) {
	document, err := value(text, MaxSchemaBytes)
	if err != nil {
		return nil, err
	}
	switch document.(type) {
	case map[string]any, bool:
	default:
		return nil, fmt.Errorf("a schema is an object or a boolean")
	}
	steps, err := measure(document)
	if err != nil {
		return nil, err
	}
	patterns := &patterns{}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(nowhere{})
	compiler.UseRegexpEngine(patterns.compile)
	compiler.AssertFormat() // in every draft: a format in a contract is meant to be checked
	if err := compiler.AddResource(location, document); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	compiled, err := compiler.Compile(location)
	if err != nil {
		return nil, fmt.Errorf("not a JSON Schema: %s", short(problemText(err)))
	}
	return &Schema{compiled: compiled, steps: steps + patterns.steps}, nil
}

// nowhere loads neither files nor addresses.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("a contract refers only to itself, not to %s", short(url))
}
