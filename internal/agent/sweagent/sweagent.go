// Package sweagent reads trajectories of SWE-agent (.traj, one JSON document).
// The steps stand in trajectory, the task behind them in history.
package sweagent

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/assemble"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/format"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
)

// Name is the format's name.
const Name = "swe-agent"

// Format recognises and reads SWE-agent trajectories.
func Format() format.Format {
	return format.Format{
		Name: Name, Title: "SWE-agent trajectory (JSON)",
		Recognise: recognise,
		Members:   record.Members{Stream: []string{"trajectory", "history"}, Keep: []string{"info"}},
		Native:    "trajectory",
		Decode: func(a *assemble.Assembler) format.Decoder {
			return &decoder{a: a, s: a.Main(), phrases: outcome.Default()}
		},
	}
}

func recognise(h format.Head) int {
	if len(h.Probes) == 0 || h.Structure != format.Object && h.Structure != format.One {
		return 0
	}
	p := h.Probes[0]
	switch {
	case p.Has("trajectory[].action", "trajectory[].observation"):
		return 95
	case p.Is("trajectory", "[") && p.Has("environment"):
		return 90
	case p.Is("history[].role", "system", "user") && p.Has("history[].agent"):
		return 85
	}
	return 0
}
