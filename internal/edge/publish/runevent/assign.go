package runevent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// assign sets KEY=VALUE in an object. Assigning to a list twice appends to it.
func assign(object map[string]any, fields []Field, assignment string, seen map[string]bool) error {
	name, value, ok := strings.Cut(assignment, "=")
	if !ok {
		return fmt.Errorf("%q is not KEY=VALUE", assignment)
	}
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return unknownField(name, fields)
	}
	field := fields[i]
	read, err := field.read(value)
	if err != nil {
		return fmt.Errorf("%s=%s: %w", name, text.Cut(value, 60), err)
	}
	path := strings.Split(name, ".")
	for _, step := range path[:len(path)-1] {
		inner, ok := object[step].(map[string]any)
		if !ok {
			inner = map[string]any{}
			object[step] = inner
		}
		object = inner
	}
	last := path[len(path)-1]
	list, isList := read.([]any)
	earlier, wasList := object[last].([]any)
	switch {
	case seen[name] && isList && wasList:
		object[last] = append(earlier, list...)
	case seen[name]:
		return fmt.Errorf("%s is assigned twice", name)
	default:
		object[last] = read
	}
	seen[name] = true
	return nil
}

func unknownField(name string, fields []Field) error {
	var names []string
	for _, f := range fields {
		if strings.HasPrefix(f.Name, name+".") {
			return fmt.Errorf("%s is an object: assign %s=…, or give it with --data", name, f.Name)
		}
		names = append(names, f.Name)
	}
	if name == "actor" || strings.HasPrefix(name, "actor.") {
		return fmt.Errorf("%s: name the actor with --actor KIND[:ID]", name)
	}
	return fmt.Errorf("unknown field %q%s", name, suggestion(name, names))
}

// read converts a value to its JSON form.
func (f Field) read(value string) (any, error) {
	if len(f.Allowed) > 0 && f.Kind == KindText && !slices.Contains(f.Allowed, value) {
		return nil, fmt.Errorf("use one of %s", strings.Join(f.Allowed, ", "))
	}
	switch f.Kind {
	case KindText:
		return value, nil
	case KindInteger:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("must be an integer")
		}
		return f.among(n)
	case KindNumber:
		n := json.Number(value)
		if _, err := n.Float64(); err != nil || !json.Valid([]byte(value)) {
			return nil, fmt.Errorf("must be a number")
		}
		return n, nil
	case KindBoolean:
		b, err := strconv.ParseBool(value)
		if err != nil {
			return nil, fmt.Errorf("must be true or false")
		}
		return b, nil
	case KindTexts, KindNumbers:
		return f.list(value)
	}
	return readJSON(value)
}

func (f Field) among(n int64) (any, error) {
	if len(f.Allowed) > 0 && !slices.Contains(f.Allowed, strconv.FormatInt(n, 10)) {
		return nil, fmt.Errorf("use one of %s", strings.Join(f.Allowed, ", "))
	}
	return n, nil
}

// list parses a,b,c, or a JSON list if an item contains a comma.
func (f Field) list(value string) (any, error) {
	if strings.HasPrefix(strings.TrimSpace(value), "[") {
		return readJSON(value)
	}
	out := []any{}
	if value == "" {
		return out, nil
	}
	for item := range strings.SplitSeq(value, ",") {
		if f.Kind == KindTexts {
			out = append(out, strings.TrimSpace(item))
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(item), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not an integer", item)
		}
		out = append(out, n)
	}
	return out, nil
}

func readJSON(value string) (any, error) {
	var out any
	decoder := json.NewDecoder(strings.NewReader(value))
	decoder.UseNumber()
	if err := decoder.Decode(&out); err != nil || decoder.More() {
		return nil, fmt.Errorf("must be JSON, such as '[{\"id\": \"f-1\"}]', or give it with --data")
	}
	return out, nil
}
