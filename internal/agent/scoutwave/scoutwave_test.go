package scoutwave_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// read reads a document that is recognised as one, with the reasons of its problems.
func read(t *testing.T, text string, o transcript.Options) (list []events.Event, problems []string) {
	t.Helper()
	s, err := all.Formats().Open(strings.NewReader(text), o)
	require.NoError(t, err)
	require.Equal(t, "scout-and-wave", s.Format().Name)
	for {
		e, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.NoError(t, events.Validate(e, events.Limits{}))
		list = append(list, e)
	}
	found, _ := s.Problems()
	for _, p := range found {
		problems = append(problems, p.Reason)
	}
	return list, problems
}

func of[T any](list []events.Event) (out []*T) {
	for _, e := range list {
		if data, is := e.Data.(*T); is {
			out = append(out, data)
		}
	}
	return out
}

const head = "feature_slug: refunds\ntitle: Refunds\nverdict: SUITABLE\n"

// IN-10: owners by wave; other roles own nothing; equal paths of two repositories differ.
func TestOwners(t *testing.T) {
	list, problems := read(t, head+`file_ownership:
  - {file: a.go, agent: A, wave: 1}
  - {file: b.go, agent: "Agent B2", wave: "1"}
  - {file: c.go, agent: Scaffold Agent, wave: 1}
  - {file: d.go, agent: A, wave: 2, repo: /srv/web}
  - {file: e.go, agent: B, wave: 3}
waves:
  - {number: 3, type: integration, agents: [{id: B}]}
`, transcript.Options{})
	require.Empty(t, problems)
	planned := of[runevents.WavePlanned](list)
	require.Len(t, planned, 2, "the integration wave has no wave agents")
	require.Equal(t, []runevents.WaveAgent{{Letter: "A", Owns: []string{"a.go"}}, {
		Letter: "B2",
		Owns:   []string{"b.go"},
	}}, planned[0].Agents)
	require.Equal(t, []runevents.WaveAgent{{Letter: "A", Owns: []string{"web/d.go"}}}, planned[1].Agents)
	require.Equal(t, "refunds", list[0].Subject)
}

// IN-10: what a report says, and the worse of what it says twice.
func TestReports(t *testing.T) {
	list, _ := read(t, head+`file_ownership: [{file: a.go, agent: A, wave: 2}]
completion_reports:
  A: {status: complete, commit: 4d1e0aa, files_changed: [{path: a.go}], verification: "FAIL (go test)"}
  wave1-agent-B: {status: blocked, failure_type: timeout, commit: uncommitted}
  C: {status: complete, branch: saw/refunds/wave3-agent-C, commit: 91ac3f7, verification: PASS}
`, transcript.Options{Run: "mine"})
	reports := of[runevents.AgentCompleted](list)
	require.Len(t, reports, 3)
	require.Equal(t, []any{"partial", runevents.RunOutcomeFailure, 2, "A"}, []any{
		reports[0].Status,
		reports[0].Outcome, reports[0].Wave, reports[0].Letter,
	})
	require.Equal(t, []string{"a.go"}, reports[0].FilesChanged)
	require.Equal(t, []any{"blocked", runevents.RunOutcomeTimeout, 1, "B"}, []any{
		reports[1].Status,
		reports[1].Outcome, reports[1].Wave, reports[1].Letter,
	})
	require.Equal(t, []any{"complete", runevents.RunOutcomeSuccess, 3, "C"}, []any{
		reports[2].Status,
		reports[2].Outcome, reports[2].Wave, reports[2].Letter,
	})
	require.Equal(t, "mine", list[0].Subject)
}

// IN-1: half a plan is none, and a document without anything to judge says so.
func TestUnreadable(t *testing.T) {
	for name, text := range map[string]string{
		"no valid YAML": head + "file_ownership:\n  - {file: a.go, agent: A\n",
		"nothing in it": "feature_slug: x\nwaves:\n",
		"other types":   head + "file_ownership: [1, [2]]\n",
	} {
		t.Run(name, func(t *testing.T) {
			list, problems := read(t, text, transcript.Options{})
			require.NotEmpty(t, problems)
			require.Empty(t, of[runevents.WavePlanned](list))
		})
	}
}

// EV-2: after an edit what is new has new ids, what is not keeps its own.
func TestReadAgain(t *testing.T) {
	data, err := os.ReadFile("testdata/scout-and-wave.typed.md")
	require.NoError(t, err)
	before, _ := read(t, string(data), transcript.Options{Follow: true})
	after, _ := read(t, strings.Replace(string(data), "status: blocked\nfailure_type: needs_replan",
		"status: complete", 1), transcript.Options{Follow: true})
	require.Len(t, after, len(before))
	differ := 0
	for i := range before {
		if before[i].ID != after[i].ID {
			differ++
			require.Equal(t, events.Type(runevents.TypeAgentCompleted), after[i].Type)
		}
	}
	require.Equal(t, 1, differ)
}

// IN-1: one mark makes no plan document, nor does a conversation about one.
func TestOtherTexts(t *testing.T) {
	for name, text := range map[string]string{
		"a table of owners":  "# Team\n\n## File ownership\n\n| File | Owner |\n|---|---|\n| a.go | Ann |\n",
		"a manifest of else": "waves:\n  - number: 1\nname: surf\n",
		"a conversation":     "## User\n\nWrite the plan.\n\n## Assistant\n\n## File ownership\n\n| File | Agent |\n|---|---|\n| a.go | A |\n\n## Wave structure\n\nWave 1: [A]\n",
	} {
		format, _ := all.Formats().Recognise([]byte(text))
		require.NotEqual(t, "scout-and-wave", format.Name, name)
	}
}
