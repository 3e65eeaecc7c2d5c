package rules

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Added returns a rules file with one more entry in a list of a section, creating section
// and list if needed, and the resulting rules. Comments and everything else are kept. It
// fails if the file does not load, before or after; the error calls the file name.
func Added(name string, data []byte, section, list string, entry any) (text []byte, set *Set, err error) {
	if _, err := Load(name, data); err != nil {
		return nil, nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(document.Content) == 0 { // only comments, which would be lost
		document = yaml.Node{
			Kind: yaml.DocumentNode, HeadComment: string(data), Content: []*yaml.Node{{Kind: yaml.MappingNode, Tag: "!!map"}},
		}
	}
	var item yaml.Node
	if err := item.Encode(entry); err != nil {
		return nil, nil, fmt.Errorf("%s: write an entry of %s.%s: %w", name, section, list, err)
	}
	entries := valueOf(valueOf(document.Content[0], section, yaml.MappingNode), list, yaml.SequenceNode)
	entries.Content = append(entries.Content, &item)
	if text, err = yaml.Marshal(&document); err != nil {
		return nil, nil, fmt.Errorf("%s: encode: %w", name, err)
	}
	set, err = Load(name, text)
	return text, set, err
}
