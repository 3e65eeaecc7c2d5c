package console_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/console"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// opinions returns what a model was asked and answered about the world's session.
func (w world) opinions() *sessionreport.Opinions {
	cost := sessionevents.MoneyOf(0.012)
	return &sessionreport.Opinions{
		Models: []string{"claude-x"}, Questions: 4, Confirmed: 1, Refuted: 1, Void: 1, Findings: 1, Cost: 4 * cost,
		Answers: []sessionreport.Answer{
			{
				Turn: 5, Question: "q-1", Signal: "s2", Detector: "C2", Model: "claude-x", Cost: cost,
				Verdict: sessionevents.OpinionRefuted, Worth: sessionevents.WorthNo,
				Why: "It was put right in turn 5. " + w.says,
			},
			{
				Turn: 4, Question: "q-2", Signal: "gone", Detector: "E1", Model: "claude-x", Cost: cost,
				Void: "nothing is quoted",
			},
			{
				Turn: 6, From: 3, Question: "q-3", Model: w.project,
				Findings: []string{"You say that all tests pass. " + w.says},
			},
			{
				Turn: 6, Question: "q-4", Signal: "x", Detector: "E1", Model: "claude-x",
				Verdict: sessionevents.OpinionConfirmed, Worth: sessionevents.WorthYes, Why: w.says, Cost: cost,
			},
		},
	}
}

// AD-5: the view of a session shows at each finding what a model was asked about it, what it answered and
// what that cost, with the sum above; the fleet shows the sum of each model.
func TestSecondOpinionsOnThePage(t *testing.T) {
	place := console.Place{Now: noon, Zone: time.UTC}
	var session, fleet bytes.Buffer
	shown := console.Session{Place: place, Report: plain.report(), Said: plain.said(), From: 1}
	require.NoError(t, console.RenderSession(&session, shown))
	text := session.String()
	require.Contains(t, text, "Second opinion by claude-x: 4 questions, 1 confirmed, 1 refuted, 1 void, 1 found, $0.05")
	at := func(turn string) string {
		_, rest, found := bytes.Cut(session.Bytes(), []byte(`id="turn-`+turn+`-opinions"`))
		require.True(t, found, "turn %s", turn)
		part, _, _ := bytes.Cut(rest, []byte("</details>"))
		return string(part)
	}
	require.Contains(t, at("4"), "2 second opinions: refuted, void")
	require.Contains(t, at("4"), "claude-x, $0.02")
	require.Contains(t, at("4"), "Asked about C2: I&#39;ll look at the form first.", "at the turn of the signal")
	require.Contains(t, at("4"), "It says: refuted: It was put right in turn 5.")
	require.Contains(t, at("4"), "does not count: nothing is quoted")
	require.Contains(t, at("6"), "Asked about what is new in turns 3 to 6. It says: found: You say that all")
	require.NotContains(t, text, `id="turn-3-opinions"`)

	without := plain.report()
	without.Opinions = nil
	session.Reset()
	require.NoError(t, console.RenderSession(&session, console.Session{Place: place, Report: without, From: 1}))
	require.NotContains(t, session.String(), "opinion", "without an advisor there is no word of it")

	require.NoError(t, console.RenderFleet(&fleet, console.Fleet{Place: place, Since: "30d", Report: plain.fleet()}))
	require.Contains(t, fleet.String(), "<dt>opinions of "+plain.project+"</dt><dd>60 questions, 15 "+
		"refuted, $0.36</dd>")
	silent := plain.fleet()
	silent.Opinions = nil
	fleet.Reset()
	require.NoError(t, console.RenderFleet(&fleet, console.Fleet{Place: place, Since: "30d", Report: silent}))
	require.NotContains(t, fleet.String(), "opinion", "without an advisor there is no word of it")
}
