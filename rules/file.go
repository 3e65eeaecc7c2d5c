package rules

import (
	"bytes"
)

// DecodeFile decodes a separate YAML document, without overrides, into a struct with yaml
// tags, as strictly as [Set.Decode]: an error names file, line and fix. An empty document
// leaves into unchanged.
func DecodeFile(name string, data []byte, into any) error {
	s := begin(&shipped{}, name)
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	root, err := s.parse(data)
	if err != nil || root == nil {
		return err
	}
	s.changed[""] = root
	return s.Decode("", into)
}

// File returns the name of the user's file, "" without overrides.
func (s *Set) File() string { return s.userFile }
