// Package schema reads JSON Schemas as handoff contracts (PL-4, PL-5) and checks
// documents against them. A schema comes from outside and may be hostile: it must not
// load anything, may refer only to itself, and must not be recursive. Checks that would
// take too much work are refused, which depends only on the schema and the document, so
// that a replay decides the same.
package schema

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Bounds on schemas and documents.
const (
	MaxSchemaBytes   = 32 << 10
	MaxDocumentBytes = 64 << 10
	MaxDepth         = 32   // of arrays and objects in a schema or document
	MaxSteps         = 4096 // values of a schema with every $ref expanded
	maxWork          = 16 << 20
	maxProblems      = 5
)

// ErrTooLarge reports that a document is larger than [MaxDocumentBytes], deeper than [MaxDepth], or
// would take too much work.
var ErrTooLarge = errors.New("the document is too large to be checked")

// value decodes a JSON text within bounds.
func value(text []byte, most int) (any, error) {
	if len(text) > most {
		return nil, fmt.Errorf("%d bytes, at most %d are read", len(text), most)
	}
	if deeper(text, MaxDepth) {
		return nil, fmt.Errorf("more than %d levels deep", MaxDepth)
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	return out, nil
}

// deeper reports whether arrays and objects are nested more than most levels deep.
func deeper(text []byte, most int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > most {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
