// Package pipeline is a layer of run watch.
package pipeline

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "pipeline" of the rule data.
type Config struct{}

// LoadConfig reads and checks the data.
func LoadConfig(*rules.Set) (*Config, error) { return &Config{}, nil }

// State is what the layer knows of a run.
type State struct{}

// Decide concludes what an event means and folds it in.
func (c *Config) Decide(s *State, in step.Input, v *verdict.Verdict) {}
