package pipeline

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/verdict"
)

// Observe concludes, in the evaluator, what an event alone shows (PL-38).
func (c *Config) Observe(in step.Input, v *verdict.Verdict) {}
