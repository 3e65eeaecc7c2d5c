package runevent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/nearest"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Field is one field of a type's data.
type Field struct {
	Name     string   `json:"name"` // with dots within objects: budget.limit
	Kind     Kind     `json:"kind"`
	Required bool     `json:"required,omitempty"`
	Allowed  []string `json:"allowed,omitempty"`
	Doc      string   `json:"doc,omitempty"`
}

// Kind is how the value of a field is written.
type Kind string

// Kinds of fields.
const (
	KindText    Kind = "text"
	KindInteger Kind = "integer"
	KindNumber  Kind = "number"
	KindBoolean Kind = "true or false"
	KindTexts   Kind = "list, separated by commas"
	KindNumbers Kind = "list of integers, separated by commas"
	KindJSON    Kind = "JSON"
)

// node is the subset of JSON Schema that the contract's schemas use.
type node struct {
	Ref         string          `json:"$ref"`
	Type        string          `json:"type"`
	Description string          `json:"description"`
	Enum        []any           `json:"enum"`
	Items       *node           `json:"items"`
	OneOf       []node          `json:"oneOf"`
	Properties  json.RawMessage `json:"properties"`
	Required    []string        `json:"required"`
	Defs        map[string]node `json:"$defs"`
}

// UnmarshalJSON also accepts `true`, the schema that allows anything.
func (n *node) UnmarshalJSON(data []byte) error {
	if string(data) == "true" {
		*n = node{}
		return nil
	}
	type plain node
	return json.Unmarshal(data, (*plain)(n))
}

// Types returns the names of all run events, in the order of the contract.
func Types() []string {
	var out []string
	for _, d := range events.All() {
		if d.RunEvent {
			out = append(out, string(d.Type))
		}
	}
	return out
}

// Lookup returns a run event's type; the error suggests the most similar one.
func Lookup(name string) (events.Descriptor, error) {
	d, ok := events.Lookup(events.Type(name))
	if ok && d.RunEvent {
		return d, nil
	}
	if ok {
		return d, fmt.Errorf("%s is not a run event", name)
	}
	return d, fmt.Errorf("unknown run event %q%s", name, suggestion(name, Types()))
}

// Fields returns the assignable fields of a type, without its actor.
func Fields(t events.Type) ([]Field, error) {
	data, err := events.Schema(t)
	if err != nil {
		return nil, err
	}
	var root node
	if err := json.Unmarshal(data, &root); err != nil {
		return nil, fmt.Errorf("read the schema of %s: %w", t, err)
	}
	fields, err := root.fields(root, "", true)
	if err != nil {
		return nil, fmt.Errorf("read the schema of %s: %w", t, err)
	}
	return slices.DeleteFunc(fields, func(f Field) bool { return strings.HasPrefix(f.Name, "actor.") }), nil
}

func (n node) resolve(root node) node {
	if name, ok := strings.CutPrefix(n.Ref, "#/$defs/"); ok {
		definition := root.Defs[name]
		if n.Description != "" {
			definition.Description = n.Description
		}
		return definition
	}
	return n
}

// fields lists the properties of an object in the order of the schema; prefix is the name of the object,
// needed reports whether the object itself is required.
func (n node) fields(root node, prefix string, needed bool) ([]Field, error) {
	names, properties, err := members(n.Properties)
	if err != nil {
		return nil, err
	}
	var out []Field
	for _, name := range names {
		p := properties[name].resolve(root)
		required := needed && slices.Contains(n.Required, name)
		if p.Type == "object" && len(p.Properties) > 0 {
			inner, err := p.fields(root, prefix+name+".", required)
			if err != nil {
				return nil, err
			}
			out = append(out, inner...)
			continue
		}
		out = append(out, Field{Name: prefix + name, Kind: p.kind(root), Required: required, Allowed: p.allowed(), Doc: p.Description})
	}
	return out, nil
}

func (n node) kind(root node) Kind {
	switch n.Type {
	case "string":
		return KindText
	case "integer":
		return KindInteger
	case "number":
		return KindNumber
	case "boolean":
		return KindBoolean
	case "array":
		if n.Items != nil {
			switch n.Items.resolve(root).Type {
			case "string":
				return KindTexts
			case "integer":
				return KindNumbers
			}
		}
	}
	if len(n.OneOf) > 0 { // one text or several
		return KindTexts
	}
	return KindJSON
}

func (n node) allowed() []string {
	var out []string
	for _, value := range n.Enum {
		if text := fmt.Sprint(value); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// members returns the members of a JSON object and their order.
func members(object json.RawMessage) (names []string, values map[string]node, err error) {
	if len(object) == 0 {
		return nil, nil, nil
	}
	if err := json.Unmarshal(object, &values); err != nil {
		return nil, nil, err
	}
	decoder := json.NewDecoder(strings.NewReader(string(object)))
	if _, err := decoder.Token(); err != nil {
		return nil, nil, err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, nil, err
		}
		var skipped json.RawMessage
		if err := decoder.Decode(&skipped); err != nil {
			return nil, nil, err
		}
		names = append(names, fmt.Sprint(name))
	}
	return names, values, nil
}

// suggestion names the most similar name, or says where all of them are listed.
func suggestion(name string, names []string) string {
	best := nearest.Name(name, names)
	if best == "" {
		return "; --list shows all"
	}
	return fmt.Sprintf("; did you mean %s? --list shows all", best)
}
