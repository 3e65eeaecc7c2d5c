// Package schema reads JSON Schemas as handoff contracts (PL-4, PL-5) and checks
// documents against them. A schema comes from outside and may be hostile: it must not
// load anything, may refer only to itself, and must not be recursive. Checks that would
// take too much work are refused, which depends only on the schema and the document, so
// that a replay decides the same.
package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
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

// Hash identifies a schema independently of the order of its members and its white space:
// "sha256:" and the hex digest of its canonical JSON (keys sorted, no white space,
// numbers as written).
func Hash(text []byte) (string, error) {
	canonical, err := Canonical(text)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// Canonical returns the canonical form of a JSON text.
func Canonical(text []byte) ([]byte, error) {
	if len(text) > MaxSchemaBytes || deeper(text, MaxDepth) {
		return nil, fmt.Errorf("more than %d bytes or %d levels", MaxSchemaBytes, MaxDepth)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

const notAField = "is not a field of the contract"

// problem returns what a document violates at one place.
func problem(e *jsonschema.ValidationError) Problem {
	out := Problem{Path: pointer(e.InstanceLocation), What: short(described(e))}
	if _, is := e.ErrorKind.(*kind.FalseSchema); is && len(e.InstanceLocation) > 0 {
		out.What, out.Unknown = "is not allowed here", true
	}
	return out
}

// described describes a limit; for everything else it returns the library's text.
func described(e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case *kind.MinItems:
		return bound("items", k.Got, "least", k.Want)
	case *kind.MaxItems:
		return bound("items", k.Got, "most", k.Want)
	case *kind.MinLength:
		return bound("characters", k.Got, "least", k.Want)
	case *kind.MaxLength:
		return bound("characters", k.Got, "most", k.Want)
	case *kind.MinProperties:
		return bound("fields", k.Got, "least", k.Want)
	case *kind.MaxProperties:
		return bound("fields", k.Got, "most", k.Want)
	case *kind.Format:
		if k.Want == "regex" { // of a schema: an invalid pattern
			return fmt.Sprintf("is not a valid %s: %v", k.Want, k.Err)
		}
		return fmt.Sprintf("is not a valid %s", k.Want)
	}
	return e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
}

func bound(what string, got int, side string, want int) string {
	return fmt.Sprintf("number of %s: %d, at %s %d allowed", what, got, side, want)
}

// Bounds on patterns. Go's expressions run in linear time, but repeats make them long.
const (
	maxPatternBytes = 512
	maxInstructions = 2000
)

// patterns compiles a schema's regular expressions and adds up their cost.
type patterns struct{ steps int }

func (p *patterns) compile(text string) (jsonschema.Regexp, error) {
	if len(text) > maxPatternBytes {
		return nil, fmt.Errorf("a pattern of %d bytes; at most %d are read", len(text), maxPatternBytes)
	}
	text = ecma(text)
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("pattern (look-around and back references are not supported): %w", err)
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	if len(program.Inst) > maxInstructions {
		return nil, fmt.Errorf("a pattern is too complicated: its repeats make %d instructions, at most %d are allowed", len(program.Inst), maxInstructions)
	}
	p.steps += 1 + len(program.Inst)/8
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	return compiled, nil
}

// escapes matches escapes that ECMA 262 writes differently: \u00e4 and \u{1f600}. An
// escaped backslash is matched first, so that the text after it is not read as an escape.
var escapes = pattern.Must(`\\\\|\\u(?:[0-9A-Fa-f]{4}|\{[0-9A-Fa-f]{1,6}\})`)

// ecma converts a schema's pattern from ECMA 262 to Go's syntax.
func ecma(text string) string {
	return escapes.ReplaceAllStringFunc(text, func(found string) string {
		if found[1] != 'u' {
			return found
		}
		return `\x{` + strings.Trim(found[2:], "{}") + `}`
	})
}
