package archeflow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Transcript recognises and reads ArcheFlow event logs.
var Transcript = transcript.Format{
	Name: Name, Title: "ArcheFlow event log (JSONL) with its artifacts", Log: true,
	Signs:     "`run_id`, `seq` and a type of its own, or `parent`, `phase`, `data`",
	Limits:    `run events; see [ArcheFlow](agents/archeflow.md)`,
	Recognise: func(h transcript.Head) int { return transcript.Best(h, confidence) },
	Decode:    func(a *transcript.Assembler) transcript.Decoder { return newDecoder(a) },
}

// confidence requires the fields that ArcheFlow writes on every line; a known type makes it certain.
func confidence(p record.Probe) int {
	if !p.Has("run_id", "type") || p.Has("specversion") {
		return 0
	}
	_, known := known[p["type"]]
	switch {
	case known && p.Has("seq"):
		return 98
	case p.Has("seq", "parent", "phase", "data"), known && p.Has("phase", "data"):
		return 90
	}
	return 0
}
