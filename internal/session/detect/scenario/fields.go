package scenario

import (
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// lineWidth is the length at which a written line is broken.
const lineWidth = 110

// decodeFields reads the payload of an event as YAML (JSON is YAML) and returns it as
// JSON. A text "$name" is replaced by the payload that a let line defined.
func decodeFields(text string, names map[string]any) (map[string]any, error) {
	var fields map[string]any
	if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
		return nil, fmt.Errorf("read the payload: %w", err)
	}
	resolved, err := resolve(fields, names)
	if err != nil {
		return nil, err
	}
	fields, _ = resolved.(map[string]any)
	return fields, nil
}

// resolve replaces the names in a payload by their values.
func resolve(value any, names map[string]any) (any, error) {
	switch v := value.(type) {
	case string:
		name, isName := strings.CutPrefix(v, "$")
		if !isName {
			return v, nil
		}
		named, known := names[name]
		if !known {
			return nil, fmt.Errorf("no let line defines %q", name)
		}
		return named, nil
	case []any:
		for i := range v {
			item, err := resolve(v[i], names)
			if err != nil {
				return nil, err
			}
			v[i] = item
		}
	case map[string]any:
		for key := range v {
			item, err := resolve(v[key], names)
			if err != nil {
				return nil, err
			}
			v[key] = item
		}
	}
	return value, nil
}

// readLet reads "let NAME VALUE".
func (s *Script) readLet(rest string) error {
	name, text, found := strings.Cut(strings.TrimSpace(rest), " ")
	if !found {
		return fmt.Errorf("let: want a name and a value")
	}
	var value any
	if err := yaml.Unmarshal([]byte(joined.ReplaceAllStringFunc(text, join)), &value); err != nil {
		return fmt.Errorf("let %s: %w", name, err)
	}
	value, err := resolve(value, s.names)
	if err != nil {
		return fmt.Errorf("let %s: %w", name, err)
	}
	s.names[name] = value
	return nil
}

// WriteData writes an event's type and payload in the form of expectations: on one line
// if it fits, otherwise one line per field.
func WriteData(b *strings.Builder, kind string, data []byte) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil || len(document.Content) != 1 || !json.Valid(data) {
		fmt.Fprintf(b, "%s %s\n", kind, data)
		return
	}
	fields := document.Content[0]
	if line := kind + " " + flow(fields); len(line) <= lineWidth {
		b.WriteString(line + "\n")
		return
	}
	b.WriteString(kind + "\n")
	block(b, fields, "  ")
}

// flow writes a node on one line.
func flow(n *yaml.Node) string {
	restyle(n)
	out, err := yaml.Marshal(n)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(string(out), "\n")
}

func restyle(n *yaml.Node) {
	n.Style = 0
	if n.Kind == yaml.ScalarNode && strings.Contains(n.Value, "\n") {
		n.Style = yaml.DoubleQuotedStyle
	}
	if n.Kind != yaml.ScalarNode {
		n.Style = yaml.FlowStyle
	}
	for _, child := range n.Content {
		restyle(child)
	}
}

// block writes a node over several lines, with each part on one line if it fits.
func block(b *strings.Builder, n *yaml.Node, indent string) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			part(b, indent+flow(n.Content[i])+":", n.Content[i+1], indent+"  ")
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			var one strings.Builder
			part(&one, indent+"-", item, indent+"  ")
			b.WriteString(strings.Replace(one.String(), "-\n"+indent+"  ", "- ", 1)) // the first field after the dash
		}
	}
}

func part(b *strings.Builder, head string, n *yaml.Node, indent string) {
	line := head + " " + flow(n)
	switch {
	case len(line) <= lineWidth:
		b.WriteString(line + "\n")
	case n.Kind == yaml.ScalarNode:
		b.WriteString(head + " " + folded(n.Value, indent) + "\n")
	default:
		b.WriteString(head + "\n")
		block(b, n, indent)
	}
}

// folded writes a long text in double quotes over several lines; a backslash at
// a line's end joins it with the next.
func folded(text, indent string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	width := 0
	for i, word := range strings.SplitAfter(string(quoted), " ") {
		if i > 0 && width+len(word) > lineWidth-len(indent) {
			b.WriteString("\\\n" + indent)
			if strings.TrimSpace(word) == "" {
				b.WriteString("\\") // a leading blank of the line
			}
			width = 0
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String()
}
