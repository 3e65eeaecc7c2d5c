package sweagent

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Transcript recognises and reads SWE-agent trajectories.
var Transcript = transcript.Format{
	Name: Name, Title: "SWE-agent trajectory (JSON)",
	Signs:     "`trajectory` with `action` and `observation`",
	Limits:    "the task is taken from `history`",
	Recognise: recognise,
	Members:   record.Members{Stream: []string{"trajectory", "history"}, Keep: []string{"info"}},
	Native:    "trajectory",
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{a: a, s: a.Main(), phrases: outcome.Default()}
	},
}

func recognise(h transcript.Head) int {
	if len(h.Probes) == 0 || h.Structure != transcript.Object && h.Structure != transcript.One {
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
