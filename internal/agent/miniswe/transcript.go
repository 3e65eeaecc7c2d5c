package miniswe

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Transcript recognises and reads mini-swe-agent trajectories.
var Transcript = transcript.Format{
	Name: Name, Title: "mini-swe-agent trajectory (JSON)",
	Signs:     "messages with `trajectory_format`, `info.mini_version` or its return codes",
	Limits:    `one shell call per turn`,
	Recognise: recognise,
	Members:   record.Members{Stream: []string{"messages"}, Keep: []string{"info", "instance_id"}},
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{s: a.Main(), phrases: outcome.Default()}
	},
}

func recognise(h transcript.Head) int {
	if len(h.Probes) == 0 || h.Structure == transcript.Lines {
		return 0
	}
	head := string(h.Bytes)
	switch p := h.Probes[0]; {
	case !p.Has("role") && !p.Has("messages"):
	case strings.HasPrefix(p["trajectory_format"], "mini-swe-agent"), p.Has("info.mini_version"):
		return 95
	case p.Has("info.exit_status", "info.model_stats", "messages[].role"):
		return 90
	case p.Has("role") || p.Has("messages"):
		if strings.Contains(head, "mswea_bash_command") || strings.Contains(head, "<returncode>") || strings.Contains(head, `"returncode"`) {
			return 80
		}
	}
	return 0
}
