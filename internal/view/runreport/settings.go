package runreport

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Settings are the section "runreport" of the rule data.
type Settings struct {
	Limits Limits `yaml:"limits"`
}

// Limits are the maximum lengths of lists; what is left out is counted.
type Limits struct {
	Timeline int `yaml:"timeline" range:"1..100000"`
	Entries  int `yaml:"entries" range:"1..100000"`
	Sessions int `yaml:"sessions" range:"1..100000"`
	Text     int `yaml:"text" range:"20..100000"` // characters
}

// LoadSettings reads the rule data; an error names file, line and cure.
func LoadSettings(set *rules.Set) (*Settings, error) {
	var s Settings
	if err := set.Decode("runreport", &s); err != nil {
		return nil, fmt.Errorf("read run report settings: %w", err)
	}
	return &s, nil
}

// DefaultSettings are those of the embedded rule data.
func DefaultSettings() *Settings {
	s, err := LoadSettings(rules.Default())
	if err != nil {
		panic(err) // the embedded data is checked by this package's tests
	}
	return s
}

// short bounds a text by characters.
func (s *Settings) short(text string) string {
	runes := 0
	for at := range text {
		if runes == s.Limits.Text {
			return text[:at] + "…"
		}
		runes++
	}
	return text
}
