package metadata

import (
	"encoding/json"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Transcript recognises the files of Claude Code's subagents (meta.json), Grok
// (summary.json) and Kimi (state.json).
var Transcript = transcript.Format{
	Name: Name, Title: "session metadata (JSON, no turns)", Metadata: true, Whole: true,
	Signs:     "`agentType` with `spawnDepth`, or a summary without messages",
	Limits:    "yields `session.opened` alone",
	Recognise: recognise,
	Decode:    func(a *transcript.Assembler) transcript.Decoder { return decoder{a.Main()} },
}

func recognise(h transcript.Head) int {
	if h.Structure != transcript.One && h.Structure != transcript.Object || len(h.Probes) == 0 {
		return 0
	}
	p := h.Probes[0]
	if p.Has("messages") || p.Has("role") {
		return 0
	}
	switch {
	case p.Has("agentType", "spawnDepth"):
		return 80
	case p.Has("info.id", "session_summary"), p.Has("info.id", "num_messages"):
		return 80
	case p.Is("agents", "{") && p.Has("createdAt", "updatedAt"):
		return 80
	}
	return 0
}

type decoder struct{ s *transcript.Session }

// Record reads the whole file.
func (d decoder) Record(r record.Record) error {
	var f struct {
		AgentType loose.String `json:"agentType"`
		Info      struct {
			ID  loose.String `json:"id"`
			CWD loose.String `json:"cwd"`
		} `json:"info"`
		Model     loose.String `json:"current_model_id"`
		AgentName loose.String `json:"agent_name"`
		WorkDir   loose.String `json:"workDir"`
		Created   loose.Time   `json:"created_at"`
	}
	if err := json.Unmarshal(r.Data, &f); err != nil {
		return fmt.Errorf("not a JSON object: %w", err)
	}
	d.s.Name(string(f.Info.ID))
	d.s.SetWorkspace(string(f.Info.CWD))
	d.s.SetWorkspace(string(f.WorkDir))
	d.s.SetModel(string(f.Model))
	d.s.SetArchetype(string(f.AgentName) + string(f.AgentType))
	d.s.Saw(f.Created.Time)
	return nil
}

// End adds nothing.
func (d decoder) End() {}
