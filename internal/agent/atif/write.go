package atif

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// version is that of the format which is written.
const version = "ATIF-v1.7"

const notes = "Written from scaffoldwatch's record: secrets are replaced by markers, and of each " +
	"tool's output only its beginning and end are kept."

// ErrNoTurns is returned for a session of which nothing was said.
var ErrNoTurns = errors.New("no turn of the session is recorded")

// Members that the format allows and no others: its readers refuse what they do not know.
type (
	outTrajectory struct {
		Schema     string           `json:"schema_version"`
		Session    string           `json:"session_id"`
		ID         string           `json:"trajectory_id"`
		Agent      outAgent         `json:"agent"`
		Steps      []*outStep       `json:"steps"`
		Notes      string           `json:"notes,omitempty"`
		Final      *outFinal        `json:"final_metrics,omitempty"`
		Subagents  []*outTrajectory `json:"subagent_trajectories,omitempty"`
		parent     string
		turns      []*outTurn
		costs      outMetrics
		hasMetrics bool
	}
	outAgent struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Model   string `json:"model_name,omitempty"`
	}
	outStep struct {
		ID          int             `json:"step_id"`
		Timestamp   string          `json:"timestamp,omitempty"`
		Source      string          `json:"source"`
		Model       string          `json:"model_name,omitempty"`
		Message     string          `json:"message"`
		Reasoning   string          `json:"reasoning_content,omitempty"`
		Calls       []outCall       `json:"tool_calls,omitempty"`
		Observation *outObservation `json:"observation,omitempty"`
		Metrics     *outMetrics     `json:"metrics,omitempty"`
		Extra       map[string]any  `json:"extra,omitempty"`
	}
	outCall struct {
		ID        string         `json:"tool_call_id"`
		Name      string         `json:"function_name"`
		Arguments map[string]any `json:"arguments"`
	}
	outObservation struct {
		Results []outResult `json:"results"`
	}
	outResult struct {
		Call    string         `json:"source_call_id"`
		Content string         `json:"content"`
		Extra   map[string]any `json:"extra,omitempty"`
	}
	outMetrics struct {
		Prompt     int64   `json:"prompt_tokens"`
		Completion int64   `json:"completion_tokens"`
		Cached     int64   `json:"cached_tokens,omitempty"`
		Cost       float64 `json:"cost_usd,omitempty"`
	}
	outFinal struct {
		Prompt     int64   `json:"total_prompt_tokens,omitempty"`
		Completion int64   `json:"total_completion_tokens,omitempty"`
		Cached     int64   `json:"total_cached_tokens,omitempty"`
		Cost       float64 `json:"total_cost_usd,omitempty"`
		Steps      int     `json:"total_steps"`
	}
	outTurn struct {
		at time.Time
		*sessionevents.TurnSegmented
	}
)

// Write writes a session as a trajectory of version 1.7, with its subagents in it, from
// the segmented turns among said; turns of other sessions are left out. Secrets were
// replaced and outputs cut before they were recorded (SW-6, SW-7).
func Write(out io.Writer, session string, said []events.Event) error {
	all := map[string]*outTrajectory{}
	for _, e := range said {
		t, is := e.Data.(*sessionevents.TurnSegmented)
		if !is {
			continue
		}
		tr := all[t.Session]
		if tr == nil {
			tr = &outTrajectory{Schema: version, Session: t.Session, ID: t.Session, parent: t.Agent.ParentSession}
			all[t.Session] = tr
		}
		tr.turns = append(tr.turns, &outTurn{e.Time, t})
	}
	root := all[session]
	if root == nil {
		return fmt.Errorf("%w: %s", ErrNoTurns, session)
	}
	root.Notes = notes
	root.fill()
	for _, id := range sorted(all) {
		if sub := all[id]; sub != root && sub.under(session, all) {
			sub.fill()
			sub.ID = strings.TrimPrefix(id, session+"-agent-") // as it was called where it was read
			root.Subagents = append(root.Subagents, sub)
		}
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(root); err != nil {
		return fmt.Errorf("write the trajectory: %w", err)
	}
	return nil
}

func sorted(all map[string]*outTrajectory) []string {
	ids := make([]string, 0, len(all))
	for id := range all {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// under reports whether a session's parents lead to another session.
func (t *outTrajectory) under(session string, all map[string]*outTrajectory) bool {
	for range len(all) { // parents may name each other
		if t == nil || t.parent == "" {
			return false
		}
		if t.parent == session {
			return true
		}
		t = all[t.parent]
	}
	return false
}

// fill makes the steps from the turns, in their order.
func (t *outTrajectory) fill() {
	slices.SortStableFunc(t.turns, func(a, b *outTurn) int { return cmp.Compare(a.Turn, b.Turn) })
	for _, turn := range t.turns {
		t.Agent.Name = cmp.Or(turn.Agent.Archetype, turn.Agent.Kind, t.Agent.Name)
		t.Agent.Model = cmp.Or(turn.Agent.Model, t.Agent.Model)
		t.turn(turn)
	}
	t.Agent.Name, t.Agent.Version = cmp.Or(t.Agent.Name, "unknown"), "unknown"
	t.Final = &outFinal{Steps: len(t.Steps)}
	if t.hasMetrics {
		c := &t.costs
		t.Final.Prompt, t.Final.Completion, t.Final.Cached, t.Final.Cost = c.Prompt, c.Completion, c.Cached, c.Cost
	}
}

func (t *outTrajectory) add(s *outStep, at time.Time) {
	s.ID = len(t.Steps) + 1
	if !at.IsZero() {
		s.Timestamp = at.UTC().Format(time.RFC3339Nano)
	}
	t.Steps = append(t.Steps, s)
}

// turn adds what the person said and the response as steps.
func (t *outTrajectory) turn(turn *outTurn) {
	step := &outStep{Source: "agent", Model: turn.Agent.Model}
	for i := range turn.Segments {
		s := &turn.Segments[i]
		switch {
		case s.Kind == sessionevents.SegmentUser:
			t.add(&outStep{Source: "user", Message: s.Text}, turn.at)
		case s.Tool != nil:
			step.call(turn.Turn, s)
		case s.Thinking:
			step.Reasoning = join(step.Reasoning, s.Text)
		case s.Kind == sessionevents.SegmentDiff && s.Diff != nil:
			step.Message = join(step.Message, fenced(s))
		default:
			step.Message = join(step.Message, s.Text)
		}
	}
	if turn.StopReason != "" {
		step.Extra = map[string]any{"stop_reason": turn.StopReason}
	}
	if u := turn.Usage; u != nil {
		step.Metrics = &outMetrics{
			Prompt: u.InputTokens, Completion: u.OutputTokens, Cached: u.CacheRead, Cost: u.CostUSD,
		}
		t.hasMetrics = true
		t.costs.Prompt += u.InputTokens
		t.costs.Completion += u.OutputTokens
		t.costs.Cached += u.CacheRead
		t.costs.Cost += u.CostUSD
	}
	t.add(step, turn.at)
}

// call adds a call with its result. Several segments may be of one call: an edit of two
// files, a call and its error.
func (s *outStep) call(turn int, segment *sessionevents.Segment) {
	id := segment.Tool.CallID
	if id == "" {
		id = fmt.Sprintf("turn-%d-call-%d", turn, segment.Index)
	}
	if !slices.ContainsFunc(s.Calls, func(c outCall) bool { return c.ID == id }) {
		s.Calls = append(s.Calls, outCall{ID: id, Name: segment.Tool.Name, Arguments: arguments(segment.Tool)})
	}
	r, known := resultOf(id, segment)
	if !known {
		return
	}
	if s.Observation == nil {
		s.Observation = &outObservation{}
	}
	at := slices.IndexFunc(s.Observation.Results, func(had outResult) bool { return had.Call == id })
	switch {
	case at < 0:
		s.Observation.Results = append(s.Observation.Results, r)
	case s.Observation.Results[at].Content == "":
		s.Observation.Results[at].Content = r.Content
	}
}

// arguments are those of a call as an object, which the format demands. The record keeps
// the command line of a shell call beside its other arguments.
func arguments(tool *sessionevents.ToolCall) map[string]any {
	out := map[string]any{}
	if len(tool.Input) > 0 && json.Unmarshal(tool.Input, &out) != nil {
		var value any
		if json.Unmarshal(tool.Input, &value) != nil {
			value = string(tool.Input)
		}
		out = map[string]any{"input": value}
	}
	if out == nil { // null
		out = map[string]any{}
	}
	if _, has := out["command"]; !has && tool.Command != "" {
		out["command"] = tool.Command
	}
	return out
}

// resultOf is that of a segment's call, as far as it is known.
func resultOf(id string, segment *sessionevents.Segment) (r outResult, known bool) {
	r = outResult{Call: id, Extra: map[string]any{}}
	failed := segment.Error != nil && segment.Error.Confidence == 1
	if d := segment.Result; d != nil {
		known = true
		r.Content = d.Head
		if d.Tail != "" {
			out := max(d.Bytes-len(d.Head)-len(d.Tail), 0)
			r.Content += fmt.Sprintf("\n… [%d bytes left out] …\n", out) + d.Tail
		}
		failed = failed || d.IsError
		if d.ExitCode != nil {
			r.Extra["exit_code"] = *d.ExitCode
		}
	}
	if e := segment.Error; e != nil {
		known = true
		r.Content = cmp.Or(r.Content, segment.Text)
		if _, has := r.Extra["exit_code"]; !has && e.ExitCode != nil {
			r.Extra["exit_code"] = *e.ExitCode
		}
	}
	if segment.Rejected {
		known = true
		r.Extra["rejected"] = true
		r.Content = cmp.Or(r.Content, "User rejected the call.")
	} else if known {
		r.Extra["is_error"] = failed
	}
	return r, known
}

// fenced is code that was shown in prose.
func fenced(s *sessionevents.Segment) string {
	var b strings.Builder
	b.WriteString("```" + s.Language + "\n")
	for _, line := range s.Diff.Added() {
		b.WriteString(line.Text + "\n")
	}
	b.WriteString("```")
	return b.String()
}

func join(a, b string) string {
	switch {
	case a == "":
		return b
	case strings.TrimSpace(b) == "":
		return a
	}
	return a + "\n\n" + b
}
