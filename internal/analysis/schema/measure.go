package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// measurement counts the values of a schema with every $ref expanded, which bounds the
// steps of a check at one place of a document.
type measurement struct {
	root any
	open map[string]bool // references being followed
	done map[string]int
}

func measure(schema any) (int, error) {
	m := &measurement{root: schema, open: map[string]bool{}, done: map[string]int{}}
	return m.count(schema, true)
}

func (m *measurement) count(v any, top bool) (int, error) {
	total := 1
	add := func(n int, err error) error {
		if total += n; err == nil && total > MaxSteps {
			err = fmt.Errorf("too complicated: more than %d values with every $ref written out", MaxSteps)
		}
		return err
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if err := add(m.count(item, false)); err != nil {
				return 0, err
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) { // sorted, so that the first error is always the same
			item := v[name]
			if text, is := item.(string); is && m.special(name, top) {
				if name != "$ref" {
					return 0, fmt.Errorf("%s is not allowed: a contract refers to itself with $ref alone", name)
				}
				if err := add(m.follow(text)); err != nil {
					return 0, err
				}
				continue
			}
			if err := add(m.count(item, false)); err != nil {
				return 0, err
			}
		}
	}
	return total, nil
}

// special handles a keyword that refers, or that changes the base of references.
func (m *measurement) special(name string, top bool) bool {
	switch name {
	case "$ref", "$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor":
		return true
	case "$id":
		return !top
	}
	return false
}

// follow returns the size of the target of a reference.
func (m *measurement) follow(ref string) (int, error) {
	pointer, local := strings.CutPrefix(ref, "#/")
	if !local {
		return 0, fmt.Errorf("$ref %q: only a place in the schema itself, such as #/$defs/name, is allowed and a contract is not recursive", short(ref))
	}
	if m.open[ref] {
		return 0, fmt.Errorf("$ref %q is recursive; a contract must end", short(ref))
	}
	if n, known := m.done[ref]; known {
		return n, nil
	}
	target, found := at(m.root, strings.Split(pointer, "/"))
	if !found {
		return 0, fmt.Errorf("$ref %q leads nowhere", short(ref))
	}
	m.open[ref] = true
	n, err := m.count(target, false)
	delete(m.open, ref)
	m.done[ref] = n
	return n, err
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~", "%25", "%", "%24", "$")

// at returns the value at a JSON pointer.
func at(v any, tokens []string) (any, bool) {
	for _, token := range tokens {
		switch inner := v.(type) {
		case map[string]any:
			next, ok := inner[unescape.Replace(token)]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i := index(token)
			if i < 0 || i >= len(inner) {
				return nil, false
			}
			v = inner[i]
		default:
			return nil, false
		}
	}
	return v, true
}

func index(token string) int {
	n := 0
	for _, c := range token {
		if c < '0' || c > '9' || n > MaxSchemaBytes {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	if token == "" {
		return -1
	}
	return n
}
