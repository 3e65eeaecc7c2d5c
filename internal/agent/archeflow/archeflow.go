package archeflow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/assemble"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/format"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
)

// Name is the format's name.
const Name = "archeflow"

// Format recognises and reads ArcheFlow event logs.
func Format() format.Format {
	return format.Format{
		Name: Name, Title: "ArcheFlow event log (JSONL) with its artifacts", Log: true,
		Recognise: func(h format.Head) int { return format.Best(h, confidence) },
		Decode:    func(a *assemble.Assembler) format.Decoder { return newDecoder(a) },
	}
}

// confidence asks for what ArcheFlow writes on every line; a type it knows makes
// sure.
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
