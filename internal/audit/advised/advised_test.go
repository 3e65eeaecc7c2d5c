package advised

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// compare folds the sample fleet with the answers that a function gives.
func compare(t *testing.T, answers Answers) (*Comparison, Result) {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	config, err := opinion.Load(rules.Default())
	require.NoError(t, err)
	c := New(core.Chain(), core.Chain(), config, answers)
	fleet, err := demo.Sessions(time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	for _, session := range fleet {
		for _, e := range session {
			c.Feed(e)
		}
	}
	return c, c.Result()
}

// AD-8: what opinions would have changed: without answers nothing, with refutations what waits is held
// back, and every loss is one that was held back or followed from it.
func TestComparison(t *testing.T) {
	c, nothing := compare(t, Answers{"q-none": "{}"})
	require.Equal(t, nothing.Without, nothing.With)
	require.Empty(t, nothing.Lost)
	require.Empty(t, nothing.Gained)
	require.Positive(t, nothing.Questions)
	require.Equal(t, 1, nothing.Unused)

	refuted := Answers{}
	for id := range c.result.asked {
		refuted[id] = `{"verdict":"refuted","worth_saying":"no","why":"It was put right.","quotes":["=== RECORD TASK"]}`
	}
	_, r := compare(t, refuted)
	require.Equal(t, nothing.Sessions, r.Sessions)
	require.NotEmpty(t, r.HeldBack)
	require.NotEmpty(t, r.Lost)
	require.Less(t, r.With, r.Without)
	require.Contains(t, r.HeldBack[0].What, `refutes it: "It was put right."`)
	for _, change := range r.HeldBack {
		require.NotContains(t, []string{"B1", "B2", "E3", "E4"}, change.Detector, "AD-7")
	}
	_, again := compare(t, refuted)
	require.Equal(t, r, again, "the same answers give the same")
}

func TestReadAnswers(t *testing.T) {
	answers, err := ReadAnswers(strings.NewReader(`{"question":"q-1","answer":{"verdict":"unsure"}}` + "\n\n" + `{"question":"q-2","answer":"{\"verdict\":\"refuted\"}"}` + "\n" + `{"question":"q-3","verdict":"confirmed"}`))
	require.NoError(t, err)
	require.Equal(t, Answers{"q-1": `{"verdict":"unsure"}`, "q-2": `{"verdict":"refuted"}`, "q-3": `{"question":"q-3","verdict":"confirmed"}`}, answers)
	for text, problem := range map[string]string{"{": "line 1 is not a JSON object", `{"answer":1}`: "line 1 names no question"} {
		_, err := ReadAnswers(strings.NewReader(text))
		require.ErrorContains(t, err, problem)
	}
}
