// Package openhands reads event histories of OpenHands: an array, an object with
// a history, JSONL or one event per file; actions and observations of version 0
// as well as the kinds of the agent SDK.
package openhands

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/assemble"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/format"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
)

// Name is the format's name.
const Name = "openhands"

// Format recognises and reads OpenHands histories.
func Format() format.Format {
	return format.Format{
		Name: Name, Title: "OpenHands history (JSON, JSONL)",
		Recognise: func(h format.Head) int { return format.Best(h, confidence) },
		Members:   record.Members{Stream: []string{"history", "events", "trajectory"}},
		Decode: func(a *assemble.Assembler) format.Decoder {
			return &decoder{s: a.Main(), phrases: outcome.Default(), ended: true}
		},
	}
}

func confidence(p record.Probe) int {
	for _, at := range []string{"", "history[].", "events[].", "trajectory[]."} {
		switch {
		case p.Has(at+"source", at+"action", at+"id"), p.Has(at+"observation", at+"cause"):
			return 90
		case p.Has(at+"source", at+"action", at+"args"), p.Has(at+"observation", at+"extras"):
			return 88
		case p.Is(at+"kind", "MessageEvent", "ActionEvent", "ObservationEvent", "SystemPromptEvent", "AgentErrorEvent"):
			return 90
		}
	}
	return 0
}
