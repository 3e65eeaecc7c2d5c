// Package shadow detects shadows in the evaluator (RW-1 … RW-16, RW-22).
package shadow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "shadow" of the rule data.
type Config struct{}

// LoadConfig reads and checks the data.
func LoadConfig(*rules.Set) (*Config, error) { return &Config{}, nil }

// State is what is known of a run.
type State struct{}

// Observe concludes what an event shows and folds it in.
func (c *Config) Observe(s *State, in step.Input, v *verdict.Verdict) {}
