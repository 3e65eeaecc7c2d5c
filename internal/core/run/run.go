// Package run is the run fold of the dispatcher: policies, Wiggum Breaks,
// control states and the escalation ladder (RW-20 … RW-42).
package run

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "run" of the rule data.
type Config struct{}

// LoadConfig reads and checks the data.
func LoadConfig(*rules.Set) (*Config, error) { return &Config{}, nil }

// State is what is known of a group's run.
type State struct{}

// Observe concludes what the run's own rules say of an event.
func (c *Config) Observe(s *State, in step.Input, v *verdict.Verdict) {}

// Settle emits what all layers concluded.
func (c *Config) Settle(s *State, in step.Input, v *verdict.Verdict, out *step.Emitter) {
	for _, e := range v.Conclusions() {
		out.Emit(e.Type, in.Event.Subject, e.Data)
	}
}
