package machines

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/atif"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// segmented is what ingest writes of a transcript, and its main session.
func segmented(t *testing.T, core *Core, text []byte) (said []events.Event, session string) {
	t.Helper()
	source, err := agents.Formats().Open(bytes.NewReader(text), transcript.Options{})
	require.NoError(t, err)
	state := core.Ingest.New("")
	for {
		e, err := source.Next()
		if errors.Is(err, io.EOF) {
			return said, session
		}
		require.NoError(t, err)
		e, err = publish.Prepare(e)
		require.NoError(t, err)
		if session == "" {
			session, state = e.Subject, core.Ingest.New(e.Group())
		}
		emitter := step.NewEmitter(core.Ingest.Stage(), core.Identity, e)
		state, err = core.Ingest.Step(state, step.Input{Event: e}, emitter)
		require.NoError(t, err)
		said = append(said, emitter.Events()...)
	}
}

// gist is what a trajectory must keep of each turn, session by session.
func gist(said []events.Event) (out []string) {
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, e := range said {
		turn, is := e.Data.(*sessionevents.TurnSegmented)
		if !is {
			continue
		}
		var user, thought, calls []string
		for _, s := range turn.Segments {
			switch {
			case s.Kind == sessionevents.SegmentUser:
				user = append(user, strings.Join(strings.Fields(s.Text), " "))
			case s.Tool != nil:
				line := s.Tool.Name + " " + given(s.Tool.Input) + s.Tool.Command
				if s.Result != nil && s.Result.ExitCode != nil {
					line += fmt.Sprintf(" exit %d", *s.Result.ExitCode)
				}
				if s.Rejected {
					line += " rejected"
				}
				calls = append(calls, line)
			case s.Thinking:
				thought = append(thought, strings.Join(strings.Fields(s.Text), " "))
			}
		}
		said, thoughts := strings.Join(user, " "), strings.Join(thought, " ")
		add("%s %q thought %q calls %q", turn.Session, said, thoughts, slices.Compact(calls))
	}
	slices.Sort(out)
	return out
}

// given are arguments with sorted names: none is an empty object, and what is none is the
// member "input" of one.
func given(input json.RawMessage) string {
	var object map[string]any
	if err := json.Unmarshal(input, &object); err != nil {
		return strings.TrimSpace(string(input))
	}
	if only, has := object["input"]; has && len(object) == 1 {
		text, _ := json.Marshal(only)
		return string(text)
	}
	if len(object) == 0 {
		return ""
	}
	text, _ := json.Marshal(object)
	return string(text)
}

// A session is written as a trajectory of version 1.7 that keeps to the rules of the
// format's own checks, and what is read back is the same conversation (IN-20).
func TestTrajectoriesAreReadBack(t *testing.T) {
	core, err := New(Options{Rules: rules.Default()})
	require.NoError(t, err)
	fixtures, err := filepath.Glob("../agent/*/testdata/*.json*")
	require.NoError(t, err)
	written := 0
	for _, path := range fixtures {
		if strings.HasSuffix(path, ".golden") {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		said, session := segmented(t, core, text)
		var out bytes.Buffer
		if err := atif.Write(&out, session, said); errors.Is(err, atif.ErrNoTurns) {
			continue // a log of events, or facts alone
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			var document map[string]any
			require.NoError(t, json.Unmarshal(out.Bytes(), &document))
			validTrajectory(t, document)
			again, same := segmented(t, core, out.Bytes())
			require.Equal(t, session, same)
			require.Equal(t, gist(said), gist(again))
		})
		written++
	}
	require.Greater(t, written, 20)
	require.ErrorIs(t, atif.Write(io.Discard, "nobody", nil), atif.ErrNoTurns)
}

var (
	rootMembers = []string{
		"schema_version", "session_id", "trajectory_id", "agent", "steps", "notes", "final_metrics",
		"subagent_trajectories",
	}
	stepMembers = []string{"step_id", "timestamp", "source", "message", "extra"}
	agentOnly   = []string{"model_name", "reasoning_content", "tool_calls", "observation", "metrics"}
)

// validTrajectory checks what the format's own models refuse: members that they do not
// know, gaps in the numbers, members of the agent in other steps, results of no call.
func validTrajectory(t *testing.T, d map[string]any) {
	t.Helper()
	require.Equal(t, "ATIF-v1.7", d["schema_version"])
	require.NotEmpty(t, d["trajectory_id"])
	for member := range d {
		require.Contains(t, rootMembers, member)
	}
	agent := d["agent"].(map[string]any)
	require.NotEmpty(t, agent["name"])
	require.NotEmpty(t, agent["version"])
	steps := d["steps"].([]any)
	require.NotEmpty(t, steps)
	require.EqualValues(t, len(steps), d["final_metrics"].(map[string]any)["total_steps"])
	for i, each := range steps {
		s := each.(map[string]any)
		require.EqualValues(t, i+1, s["step_id"])
		require.IsType(t, "", s["message"])
		for member := range s {
			if s["source"] == "agent" && slices.Contains(agentOnly, member) {
				continue
			}
			require.Contains(t, stepMembers, member, "a step of %s", s["source"])
		}
		var ids []any
		calls, _ := s["tool_calls"].([]any)
		for _, c := range calls {
			call := c.(map[string]any)
			require.NotContains(t, ids, call["tool_call_id"])
			require.IsType(t, map[string]any{}, call["arguments"])
			ids = append(ids, call["tool_call_id"])
		}
		if o, has := s["observation"].(map[string]any); has {
			for _, r := range o["results"].([]any) {
				require.Contains(t, ids, r.(map[string]any)["source_call_id"])
			}
		}
	}
	subagents, _ := d["subagent_trajectories"].([]any)
	for _, sub := range subagents {
		validTrajectory(t, sub.(map[string]any))
	}
}
