package openhands

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Transcript recognises and reads OpenHands histories.
var Transcript = transcript.Format{
	Name: Name, Title: "OpenHands history (JSON, JSONL)",
	Signs:     "`source` with `action`, `observation` with `cause`, or kinds such as `ActionEvent`",
	Limits:    `an array, an object with a history, JSONL, or one event a file`,
	Recognise: func(h transcript.Head) int { return transcript.Best(h, confidence) },
	Members:   record.Members{Stream: []string{"history", "events", "trajectory"}},
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{s: a.Main(), phrases: outcome.Default(), ended: true}
	},
}

func confidence(p record.Probe) int {
	for _, at := range []string{"", "history[].", "events[].", "trajectory[]."} {
		switch {
		case p.Has(at+"source", at+"action", at+"id"), p.Has(at+"observation", at+"cause"):
			return 90
		case p.Has(at+"source", at+"action", at+"args"), p.Has(at+"observation", at+"extras"):
			return 88
		case p.Is(at+"kind", "MessageEvent", "ActionEvent", "ObservationEvent", "SystemPromptEvent",
			"AgentErrorEvent") && (p.Has(at+"source") || p.Has(at+"id")):
			return 90
		}
	}
	return 0
}
