package deployment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// OwnRulesPath is where the rules of this person are kept when no setting names another file; it is ""
// where the user has none.
func OwnRulesPath() string {
	home, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "scaffoldwatch", "rules.yaml")
}

// OwnRules is OwnRulesPath if the file exists, else "". Commands and `up` use it; a service uses
// only what its configuration names.
func OwnRules() string {
	path := OwnRulesPath()
	if path == "" {
		return ""
	}
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// AddMute adds a mute to dispatch.mutes of a rules file, which it creates if need be. Comments and
// everything else in the file stay. A file that does not load, before or after, is not changed.
func AddMute(path string, m budget.Mute) error {
	data, err := readFile(path, maxRules)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the rules file: %w", err)
	}
	if _, err := rules.Load(path, data); err != nil {
		return fmt.Errorf("the rules file must be repaired first: %w", err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if document.Kind == 0 {
		document = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	}
	dispatch, err := child(document.Content[0], "dispatch", yaml.MappingNode)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	mutes, err := child(dispatch, "mutes", yaml.SequenceNode)
	if err != nil {
		return fmt.Errorf("%s: dispatch: %w", path, err)
	}
	var entry yaml.Node
	if err := entry.Encode(written(m)); err != nil {
		return fmt.Errorf("write the mute: %w", err)
	}
	mutes.Content = append(mutes.Content, &entry)
	text, err := yaml.Marshal(&document)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	set, err := rules.Load(path, text)
	if err == nil {
		_, err = budget.LoadConfig(set)
	}
	if err != nil {
		return fmt.Errorf("the mute does not fit: %w", err)
	}
	return replace(path, text)
}

// writtenMute is a mute as a rules file has it.
type writtenMute struct {
	Scope    string    `yaml:"scope"`
	Detector string    `yaml:"detector,omitempty"`
	Subject  string    `yaml:"subject,omitempty"`
	Reason   string    `yaml:"reason"`
	By       string    `yaml:"by"`
	Until    time.Time `yaml:"until,omitempty"`
}

func written(m budget.Mute) writtenMute {
	return writtenMute{string(m.Scope), m.Detector, m.Subject, m.Reason, m.By, m.Until}
}

// child returns the value of a key of a mapping, which it adds if it is missing.
func child(of *yaml.Node, key string, kind yaml.Kind) (*yaml.Node, error) {
	if of.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: sections are expected here", of.Line)
	}
	for i := 0; i+1 < len(of.Content); i += 2 {
		if of.Content[i].Value != key {
			continue
		}
		if value := of.Content[i+1]; value.Kind == kind {
			return value, nil
		}
		return nil, fmt.Errorf("line %d: %s is not written as it should be", of.Content[i].Line, key)
	}
	value := &yaml.Node{Kind: kind}
	of.Content = append(of.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
	return value, nil
}

// replace writes a file as a whole or not at all, for its owner alone.
func replace(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("create the folder of the rules file: %w", err)
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.WriteFile(path+".new", data, mode); err != nil {
		return fmt.Errorf("write the rules file: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("replace the rules file: %w", err)
	}
	return nil
}
