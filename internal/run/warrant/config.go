package warrant

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "warrant" of the rule data.
type Config struct {
	Success     []string                 `yaml:"success"`      // outcomes of run.completed
	Boundaries  []runevents.BreakTrigger `yaml:"boundaries"`   // triggers that are limits rather than suspicions
	RedoOptions []int                    `yaml:"redo_options"` // recoveries after which work is redone (WP-1)
	// Fixed are words of a person who fixed the cause; Denied are words before them that
	// negate them.
	Fixed  []string `yaml:"fixed"`
	Denied []string `yaml:"denied"`
	Kept   Kept     `yaml:"kept"`
}

// Kept bounds the state.
type Kept struct {
	Breaks int `yaml:"breaks" range:"1..100000"`
	Text   int `yaml:"text" range:"20..100000"` // characters
}

// LoadConfig returns the configuration of a rule set. An error names the file, the
// line and the fix.
func LoadConfig(set *rules.Set) (*Config, error) {
	var c Config
	if err := set.Decode("warrant", &c); err != nil {
		return nil, fmt.Errorf("read warrant configuration: %w", err)
	}
	return &c, nil
}

// succeeded reports whether an outcome of run.completed is a success.
func (c *Config) succeeded(outcome string) bool {
	return slices.Contains(c.Success, strings.ToLower(strings.TrimSpace(outcome)))
}

// short cuts a text to a number of characters.
func (c *Config) short(text string) string {
	runes := 0
	for at := range text {
		if runes == c.Kept.Text {
			return text[:at] + "…"
		}
		runes++
	}
	return text
}

// says reports whether a person's reason states that the cause was fixed.
func (c *Config) says(why string) bool {
	words := strings.FieldsFunc(strings.ToLower(why), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
	for i, word := range words {
		if !slices.Contains(c.Fixed, word) {
			continue
		}
		before := words[max(0, i-3):i]
		if !slices.ContainsFunc(before, func(w string) bool { return slices.Contains(c.Denied, w) }) {
			return true
		}
	}
	return false
}
