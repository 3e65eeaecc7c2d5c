// Package intent is the intent part of the pipeline layer (PL-30 … PL-39).
package intent

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "intent" of the rule data.
type Config struct{}

// LoadConfig reads and checks the data.
func LoadConfig(*rules.Set) (*Config, error) { return &Config{}, nil }

// State is what the layer knows of a run.
type State struct{}

// Decide concludes what an event means and folds it in.
func (c *Config) Decide(s *State, in step.Input, v *verdict.Verdict) {}

// Observe concludes, in the evaluator, what an event alone shows (PL-38).
func (c *Config) Observe(in step.Input, v *verdict.Verdict) {}
