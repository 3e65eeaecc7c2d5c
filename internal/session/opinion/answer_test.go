package opinion

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func question(c *Config, kind sessionevents.QuestionKind) *Question {
	return &Question{
		Kind: kind, Session: "s", Signal: "x", Detector: "E1", From: 3, Turn: 5, Prompt: c.Prompts[string(kind)],
		Text: delimited("TURNS\n--- turn 3\nAGENT: All 24 tests pass, and the   build is clean.\n"),
	}
}

// AD-2: an answer counts where it has the form and quotes the question; "unsure" needs no quotation.
func TestAnswersAboutSignals(t *testing.T) {
	c := testConfig(t)
	q := question(c, sessionevents.QuestionSignal)
	answers := map[string]bool{ // whether it is void
		`{"verdict":"confirmed","worth_saying":"yes","why":"w","quotes":["All 24 tests pass, and the build"]}`: false,
		"```\n" + `{"verdict":"Refuted","worth_saying":"no","quotes":["the build is clean"]}` + "``` as asked": false,

		`{"verdict":"unsure","worth_saying":"no","why":"w","quotes":[]}`:            false,
		`{"verdict":"refuted","worth_saying":"no","why":"w","quotes":[]}`:           true,
		`{"verdict":"refuted","worth_saying":"no","quotes":["all 24 tests pass"]}`:  true, // another letter
		`{"verdict":"refuted","worth_saying":"no","quotes":["All 24"]}`:             true, // too short to mean something
		`{"verdict":"refuted","quotes":["All 24 tests pass","It was agreed so."]}`:  true,
		`{"verdict":"confirmed","why":"w","quotes":["All 24 tests pass"]}`:          true,
		`{"verdict":"halt","worth_saying":"yes","quotes":["All 24 tests pass"]}`:    true,
		`{"verdict":"confirmed","worth_saying":"yes","quotes":"All 24 tests pass"}`: true,

		`{"verdict":"confirmed","worth_`: true,
		`no`:                             true,
		``:                               true,
		strings.Repeat("{", maxAnswer+1): true,
	}
	for answer, void := range answers {
		o := c.Answer(q, answer)
		require.Equal(t, void, o.Void != "", answer)
		require.Equal(t, "x", o.Signal)
		require.Equal(t, q.ID(), o.Question)
		require.LessOrEqual(t, len([]rune(o.Why)), maxWhy)
		if void {
			require.False(t, o.Confirms() || o.HoldsBack(), answer)
		}
	}
}

// AD-3: of findings those count that name a class a model may report, a subject, a turn that was shown, and
// quote it; three at most.
func TestAnswersAboutNewTurns(t *testing.T) {
	c := testConfig(t)
	q := question(c, sessionevents.QuestionDigest)
	good := `{"class":"E","subject":"tests","turn":3,"quote":"All 24 tests pass, and the build","say":"You say so."}`
	for answer, want := range map[string]int{
		`{"findings":[]}`:             0,
		`{"findings":[` + good + `]}`: 1,
		`{"findings":[` + strings.Repeat(good+",", 6) + good + `]}`:                     3,
		`{"findings":[` + good + `,` + strings.Replace(good, `"E"`, `"B"`, 1) + `]}`:    1,
		`{"findings":[` + good + `,` + strings.Replace(good, `3`, `9`, 1) + `]}`:        1,
		`{"findings":[` + good + `,` + strings.Replace(good, `tests",`, `",`, 1) + `]}`: 1,
		`{"findings":[` + good + `,` + strings.Replace(good, `All 24`, `All`, 1) + `]}`: 1,
	} {
		o := c.Answer(q, answer)
		require.Empty(t, o.Void, answer)
		require.Len(t, o.Findings, want, answer)
	}
	unknown := `{"findings":[` + strings.Replace(good, `"E"`, `"B"`, 1) + `]}`
	for _, void := range []string{`{}`, `{"findings":null}`, `{"findings":"none"}`, unknown} {
		require.NotEmpty(t, c.Answer(q, void).Void, void)
	}
}

// Whatever a model answers, nothing panics and no more is kept than the limits say.
func FuzzAnswer(f *testing.F) {
	f.Add(`{"verdict":"confirmed","worth_saying":"yes","why":"w","quotes":["All 24 tests pass"]}`, true)
	f.Add(`{"findings":[{"class":"E","subject":"x","turn":3,"quote":"All 24 tests pass","say":"You say so."}]}`, false)
	f.Add("\xff{}", true)
	f.Fuzz(func(t *testing.T, answer string, signal bool) {
		c := testConfig(t)
		kind := sessionevents.QuestionDigest
		if signal {
			kind = sessionevents.QuestionSignal
		}
		o := c.Answer(question(c, kind), answer)
		require.LessOrEqual(t, len(o.Findings), c.Findings.PerOpinion)
		require.LessOrEqual(t, len(o.Quotes), maxQuotes)
		for _, s := range c.Signals(o, 5, 30) {
			require.LessOrEqual(t, s.Urgency, sessionevents.Urgency(39))
			require.NotEmpty(t, s.Message)
		}
	})
}
