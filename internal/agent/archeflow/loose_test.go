package archeflow_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// told returns what was named as a problem.
func told(s *transcript.Source) (out []string) {
	list, _ := s.Problems()
	for _, p := range list {
		out = append(out, p.Reason)
	}
	return out
}

// A log written by hand or by a shell is read all the same: without seq, with
// data quoted into a string, with CRLF and a byte order mark.
func TestWaysToWriteALine(t *testing.T) {
	plain := line(1, "run.start", "plan", "", `{"task":"limit logins"}`) + line(2, "agent.failed", "do", "maker", `{"reason":"crashed"}`)
	quoted := strings.NewReplacer(`{"task":"limit logins"}`, `"{\"task\":\"limit logins\"}"`, `{"reason":"crashed"}`, `"{\"reason\":\"crashed\"}"`).Replace(plain)
	for name, log := range map[string]string{
		"as ArcheFlow does": plain,
		"without seq":       strings.NewReplacer(`"seq":1,`, "", `"seq":2,`, "").Replace(plain),
		"seq as text":       strings.NewReplacer(`"seq":1,`, `"seq":"1",`, `"seq":2,`, `"seq":"2",`).Replace(plain),
		"data as text":      quoted,
		"from Windows":      "\ufeff" + strings.ReplaceAll(plain, "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			all, s := read(t, log, transcript.Options{})
			require.Empty(t, told(s))
			require.Equal(t, "limit logins", of[runevents.RunStarted](all)[0].Goal)
			require.Equal(t, "crashed", of[runevents.AgentCompleted](all)[0].Output)
		})
	}
}

// Money as people write it counts; what is no amount is told, for the budget
// cannot be kept without it (RW-21).
func TestWaysToWriteMoney(t *testing.T) {
	for given, want := range map[string]float64{`"$0.45"`: 0.45, `"0.45 USD"`: 0.45, `"~$0.45"`: 0.45, `0.45`: 0.45, `null`: 0, `""`: 0, `0`: 0} {
		all, s := read(t, line(1, "agent.complete", "do", "maker", `{"estimated_cost_usd":`+given+`}`), transcript.Options{})
		require.Empty(t, told(s), given)
		spent := of[runevents.SpendReported](all)
		if want == 0 {
			require.Empty(t, spent, given)
			continue
		}
		require.InDelta(t, want, spent[0].Spent, 0, given)
	}
	for _, given := range []string{`"much"`, `-4`, `"NaN"`, `1e300`} {
		all, s := read(t, line(1, "agent.complete", "do", "maker", `{"estimated_cost_usd":`+given+`}`), transcript.Options{})
		require.Equal(
			t,
			[]string{"estimated_cost_usd is not an amount; the reported cost is too low from here on"},
			told(s),
			given,
		)
		require.Empty(t, of[runevents.SpendReported](all))
	}
}

// A file of findings that cannot be read is no cycle without findings; the list
// may stand in an object, behind a byte order mark.
func TestDamagedFindings(t *testing.T) {
	log := line(1, "cycle.boundary", "act", "", `{"cycle":1}`)
	for text, want := range map[string]int{
		`[]`: 0, `[{"id":"a"}]`: 1, `{"findings":[{"id":"a"},{"id":"b"}]}`: 2, "\ufeff[{\"id\":\"a\"}]\r\n": 1,
		``: -1, `null`: -1, `{}`: -1, `[1,"x"]`: -1, `[{"id":"a"}`: -1, `"a"`: -1,
	} {
		all, s := read(
			t,
			log,
			transcript.Options{Beside: files(map[string]string{"artifacts/r-1/findings-cycle-1.json": text})},
		)
		cycles := of[runevents.CycleCompleted](all)
		if want < 0 {
			require.Empty(t, cycles, text)
			require.Contains(
				t,
				strings.Join(told(s), "\n"),
				"findings-cycle-1.json does not contain a list of findings",
				text,
			)
			continue
		}
		require.Len(t, cycles[0].Findings, want, text)
		require.Empty(t, told(s), text)
	}
	reviewed := line(1, "review.verdict", "check", "sage", `{"verdict":"REJECTED","findings":[{"id":"a"}]}`) + line(2, "cycle.boundary", "act", "", `{"cycle":1}`)
	all, s := read(t, reviewed, transcript.Options{Beside: files(map[string]string{"artifacts/r-1/findings-cycle-1.json": `{`})})
	require.Len(t, of[runevents.CycleCompleted](all)[0].Findings, 1, "its reviews tell what the file should have")
	require.Len(t, told(s), 1)
}

// Where a line names a text that is not there, the agent is judged without it,
// and the reader is told (RW-1 … RW-7).
func TestMissingOutputsAreTold(t *testing.T) {
	log := line(1, "agent.complete", "plan", "explorer", `{"artifacts":["plan-explorer.md"]}`) +
		line(2, "agent.complete", "do", "maker", `{"artifacts":["do-maker.diff"]}`) +
		line(3, "agent.complete", "check", "sage", `{}`)
	_, s := read(t, log, transcript.Options{Beside: files(nil)})
	require.Equal(t, []string{"the agent's output is not next to the log; the agent is judged without it"}, told(s))
	all, s := read(
		t,
		log,
		transcript.Options{Beside: files(map[string]string{"artifacts/r-1/plan-explorer.md": "It is so."})},
	)
	require.Empty(t, told(s))
	require.Equal(t, "It is so.", of[runevents.AgentCompleted](all)[0].Output)
}
