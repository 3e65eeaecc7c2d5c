package atif

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Transcript recognises and reads trajectories.
var Transcript = transcript.Format{
	Name: Name, Title: "Agent Trajectory Interchange Format (JSON)",
	Signs:     "`schema_version` `ATIF-…` with `steps`",
	Limits:    "1.0 to 1.7; subagents in the document are separate sessions",
	Recognise: recognise,
	Members: record.Members{
		Stream: []string{"steps", "subagent_trajectories"}, Keep: []string{"session_id", "trajectory_id", "agent"},
	},
	Native: "steps",
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{a: a, s: a.Main(), phrases: outcome.Default()}
	},
}

func recognise(h transcript.Head) int {
	return transcript.Best(h, func(p record.Probe) int {
		if strings.HasPrefix(p["schema_version"], "ATIF-") && (p.Is("steps", "[") || p.Has("agent.name")) {
			return 95
		}
		return 0
	})
}

type step struct {
	ID        loose.String    `json:"step_id"`
	Timestamp loose.Time      `json:"timestamp"`
	Source    loose.String    `json:"source"`
	Model     loose.String    `json:"model_name"`
	Message   json.RawMessage `json:"message"`
	Reasoning loose.String    `json:"reasoning_content"`
	Copied    loose.Bool      `json:"is_copied_context"`
	Calls     []struct {
		ID        loose.String    `json:"tool_call_id"`
		Name      loose.String    `json:"function_name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"tool_calls"`
	Observation struct {
		Results []result `json:"results"`
	} `json:"observation"`
	Metrics struct {
		Prompt     loose.Int    `json:"prompt_tokens"`
		Completion loose.Int    `json:"completion_tokens"`
		Cached     loose.Int    `json:"cached_tokens"`
		Cost       loose.Amount `json:"cost_usd"`
	} `json:"metrics"`
	Extra struct {
		Stop loose.String `json:"stop_reason"` // as scaffoldwatch writes it
	} `json:"extra"`
}

type result struct {
	Call    loose.String    `json:"source_call_id"`
	Content json.RawMessage `json:"content"`
	Extra   struct {
		ExitCode  *loose.Int  `json:"exit_code"`
		ExitCode2 *loose.Int  `json:"returncode"`
		IsError   *loose.Bool `json:"is_error"`
		Rejected  loose.Bool  `json:"rejected"`
	} `json:"extra"`
}

type trajectory struct {
	ID    loose.String `json:"trajectory_id"`
	Agent struct {
		Name  loose.String `json:"name"`
		Model loose.String `json:"model_name"`
	} `json:"agent"`
	Steps []json.RawMessage `json:"steps"`
}

type decoder struct {
	a       *transcript.Assembler
	s       *transcript.Session
	phrases *outcome.Phrases
}

// Record reads a step or a member of the document.
func (d *decoder) Record(r record.Record) error {
	switch r.Key {
	case "session_id", "trajectory_id":
		d.s.Name(loose.Text(r.Data))
		return nil
	case "agent":
		var t trajectory
		if err := json.Unmarshal(r.Data, &t.Agent); err != nil && !loose.Mismatch(err) {
			return fmt.Errorf("member agent: %w", err)
		}
		d.s.SetModel(string(t.Agent.Model))
		return nil
	case "subagent_trajectories":
		return d.subagent(r.Data)
	}
	return d.step(d.s, r.Data)
}

// End has nothing to complete: every turn ends with its step.
func (d *decoder) End() {}

func (d *decoder) subagent(data []byte) error {
	var t trajectory
	if err := json.Unmarshal(data, &t); err != nil && !loose.Mismatch(err) {
		return fmt.Errorf("not a trajectory: %w", err)
	}
	s := d.a.Sub(d.s, string(t.ID))
	s.SetModel(string(t.Agent.Model))
	s.SetArchetype(string(t.Agent.Name))
	for _, raw := range t.Steps {
		if err := d.step(s, raw); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) step(s *transcript.Session, data []byte) error {
	var t step
	if err := json.Unmarshal(data, &t); err != nil && !loose.Mismatch(err) {
		return fmt.Errorf("not a step: %w", err)
	}
	at := t.Timestamp.Time
	s.Saw(at)
	switch {
	case bool(t.Copied): // from the conversation that this one continues
	case t.Source == "user":
		d.phrases.Heard(s, loose.Text(t.Message), at)
	case t.Source == "agent":
		d.agent(s, &t)
	case t.Source == "system":
		for i := range t.Observation.Results {
			d.result(s, &t.Observation.Results[i])
		}
	default:
		s.Unknown(string(t.Source))
	}
	return nil
}

func (d *decoder) agent(s *transcript.Session, t *step) {
	id := ""
	if t.ID != "" {
		id = "step-" + string(t.ID)
	}
	s.Begin(id, t.Timestamp.Time)
	s.SetModel(string(t.Model))
	s.Thinking(string(t.Reasoning))
	s.Text(loose.Text(t.Message))
	for _, c := range t.Calls {
		s.Call(string(c.ID), string(c.Name), loose.Object(c.Arguments))
	}
	for i := range t.Observation.Results {
		r := &t.Observation.Results[i]
		if r.Call == "" && i < len(t.Calls) {
			r.Call = t.Calls[i].ID
		}
		d.result(s, r)
	}
	m := &t.Metrics
	s.Usage(&sessionevents.Usage{
		InputTokens: int64(m.Prompt), OutputTokens: int64(m.Completion), CacheRead: int64(m.Cached),
		CostUSD: float64(m.Cost),
	})
	switch stop := string(t.Extra.Stop); stop {
	case transcript.StopAPIError, transcript.StopError, transcript.StopCrashed:
		s.Fail(stop, t.Timestamp.Time)
	default:
		s.Stop(stop)
	}
}

func (d *decoder) result(s *transcript.Session, r *result) {
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(r.Call), Output: loose.Text(r.Content)}
	exit := r.Extra.ExitCode
	if exit == nil {
		exit = r.Extra.ExitCode2
	}
	if exit != nil {
		b.ExitCode = loose.Code(int(*exit))
	}
	for _, mark := range []string{"Exit code", "exit code:", "Process exited with code"} {
		if b.ExitCode == nil {
			b.ExitCode = outcome.CodeAfter(outcome.Beginning(b.Output, 120), mark)
		}
	}
	refused, reply := d.phrases.Rejected(b.Output)
	if r.Extra.Rejected { // as scaffoldwatch writes it, with the answer as a step of its own
		refused, reply = true, ""
	}
	b.Rejected = refused
	failed := r.Extra.IsError != nil && bool(*r.Extra.IsError) || b.ExitCode != nil && *b.ExitCode != 0
	if r.Extra.IsError != nil || b.ExitCode != nil || refused {
		b.IsError = loose.Flag(failed && !refused)
	}
	s.Add(b)
	s.User(reply, s.Last())
}
