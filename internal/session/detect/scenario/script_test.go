package scenario

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func TestParseBuildsBlocks(t *testing.T) {
	s, err := Parse(`# A comment.
opened {"task":"Fix it"}

turn compacted
user Hello
  and more
plan First.

  Second paragraph.
read a.py 10-12
  def a():
    return 1
edit a.py
  -old
  +new
   kept
shell go test
exit 2
call Task {"prompt":"x"}
failed
write b.py
  x = 1
rejected
----
nothing

turn fork turn-1
think Done {{a|b|c}}.
----
`)
	require.NoError(t, err)
	require.Equal(t, "Fix it", s.Opened.Task)
	require.Equal(t, "# A comment.\nopened {\"task\":\"Fix it\"}\n\n", s.Header)
	require.Len(t, s.Steps, 2)
	require.Equal(t, "nothing\n", s.Steps[0].Expected)
	require.Empty(t, s.Steps[1].Expected)
	first := s.Steps[0].Turn
	require.True(t, first.Compacted)
	require.Equal(t, "Hello\nand more", first.Blocks[0].Text)
	require.Equal(t, "First.\n\nSecond paragraph.", first.Blocks[1].Text)
	require.JSONEq(t, `{"file_path":"a.py","offset":10,"limit":3}`, string(first.Blocks[2].Input))
	require.Equal(t, "def a():\n  return 1", first.Blocks[3].Output)
	require.JSONEq(t, `{"file_path":"a.py","old_string":"old\nkept","new_string":"new\nkept"}`, string(first.Blocks[4].Input))
	require.Equal(t, 2, *first.Blocks[7].ExitCode)
	require.True(t, *first.Blocks[9].IsError)
	require.True(t, first.Blocks[11].Rejected)
	require.Equal(t, "Done abc.", s.Steps[1].Turn.Blocks[0].Text)
	require.Equal(t, "turn-1", s.Steps[1].Turn.ForkOf)
	require.Equal(t, sessionevents.BlockThinking, s.Steps[1].Turn.Blocks[0].Type)
}

func TestParseRefuses(t *testing.T) {
	cases := map[string]string{
		"":                                      "the script has no turn",
		"turn\nuser x\n":                        `line 1: turn without "----"`,
		"noise\n":                               `line 1: want turn, event, opened, let or a # comment, got "noise"`,
		"opened {\n":                            "line 1: opened:",
		"turn\nuser x\nfly away\n----\n":        `line 3: unknown statement "fly"`,
		"turn\nread a.py 5\n----\n":             `line 2: read a.py: want lines such as 10-40, got "5"`,
		"turn\nread a.py 9-5\n----\n":           "want lines such as",
		"turn\ncall Task {\n----\n":             "input is not JSON",
		"turn\nexit 1\n----\n":                  "exit: requires a call before it",
		"turn\nshell ls\nexit many\n----\n":     `exit: want a number, got "many"`,
		"turn\nplan x\nfailed\n----\nnothing\n": "failed: requires a call before it",
	}
	for text, want := range cases {
		_, err := Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

// Scenarios of the whole chain hold other events beside turns, name their session
// and say what they cover.
func TestParseReadsEventsAndCoverage(t *testing.T) {
	s, err := Parse(`# The parent's scope holds for its subagent.
# covers: SW-1 firing, SW-41a/one-thing

turn session=child parent=session run=r id=t-9
plan Hello.
----
nothing

event session.closed {"session":"child","reason":"completed"}
----
nothing
`)
	require.NoError(t, err)
	require.Equal(t, []string{"SW-1 firing", "SW-41a/one-thing"}, s.Covers)
	require.Equal(t, "child", s.Steps[0].Turn.Session)
	require.Equal(t, "session", s.Steps[0].Turn.Agent.ParentSession)
	require.Equal(t, "r", s.Steps[0].Turn.Run)
	require.Equal(t, "t-9", s.Steps[0].Turn.TurnID)
	require.EqualValues(t, sessionevents.TypeSessionClosed, s.Steps[1].Type)
	require.Equal(t, "completed", s.Steps[1].Data.(*sessionevents.SessionClosed).Reason)
	require.Equal(t, s.Steps[0].Expected, "nothing\n")
}

func TestParseRefusesEvents(t *testing.T) {
	for text, want := range map[string]string{
		"event no.such {}\n----\n":            "line 1: event no.such: unknown type",
		"event session.closed {\n----\n":      "line 1: event session.closed:",
		"turn colour=red\nplan x\n----\n":     `line 1: turn: unknown word "colour=red"`,
		"event session.closed {}\n  x\nend\n": `line 1: event without "----"`,
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

// A payload may be indented YAML, name what a let line holds, and break long texts.
func TestParseNamedPayloads(t *testing.T) {
	s, err := Parse(`# covers: RW-4 firing

let token {id: C1, severity: CRITICAL, text: The token is logged.}
event agent.completed run=r
  agent_id: guardian-1
  outcome: success
  findings: [$token]
  output: "first \
    second"
----
nothing
`)
	require.NoError(t, err)
	got := s.Steps[0].Data.(*runevents.AgentCompleted)
	require.Equal(t, runevents.ActorOrchestrator, got.Actor.Kind, "who says nothing else is an orchestrator")
	require.Equal(t, []runevents.Finding{{ID: "C1", Severity: runevents.SeverityCritical, Text: "The token is logged."}}, got.Findings)
	require.Equal(t, "first second", got.Output)

	_, err = Parse("event agent.completed\n  findings: [$nobody]\n----\n")
	require.ErrorContains(t, err, `no let line defines "nobody"`)
}

// What WriteData breaks over lines reads back as the same payload.
func TestWrittenDataReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		printable := rapid.RuneFrom([]rune(" \n\"\\:#{}[]-"), unicode.L, unicode.N, unicode.P)
		text := rapid.Map(rapid.StringOfN(printable, 0, 200, -1), func(s string) string { return strings.TrimPrefix(s, "$") })
		data := map[string]any{"a": text.Draw(t, "a"), "list": []any{map[string]any{"b": text.Draw(t, "b"), "c": text.Draw(t, "c")}, text.Draw(t, "d")}}
		encoded, err := json.Marshal(data)
		require.NoError(t, err)
		var b strings.Builder
		WriteData(&b, "x.y", encoded)
		_, body, _ := strings.Cut(strings.TrimPrefix(b.String(), "x.y"), "\n")
		if body == "" {
			body = strings.TrimPrefix(b.String(), "x.y ")
		}
		read, err := decodeFields(body, nil)
		require.NoError(t, err, b.String())
		again, err := json.Marshal(read)
		require.NoError(t, err)
		require.JSONEq(t, string(encoded), string(again), b.String())
	})
}
