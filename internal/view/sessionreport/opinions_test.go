package sessionreport

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// AD-5: a report says which model was asked, how often, with what result and at what cost.
func TestSecondOpinionsAreOneLine(t *testing.T) {
	f := New("s")
	require.Nil(t, f.Result().Opinions, "without any there is no line")
	say := func(o sessionevents.OpinionRecorded) {
		o.Session, o.Model, o.Cost = "s", "claude-x", sessionevents.MoneyOf(0.0031)
		f.Apply(events.Event{Type: sessionevents.TypeOpinionRecorded, Subject: "s", Data: &o})
	}
	signal := func(v sessionevents.OpinionVerdict, w sessionevents.WorthSaying) sessionevents.OpinionRecorded {
		return sessionevents.OpinionRecorded{
			Kind: sessionevents.QuestionSignal, Verdict: v, WorthSaying: w, Turn: 1, Why: "Because.",
		}
	}
	say(signal(sessionevents.OpinionRefuted, sessionevents.WorthNo))
	say(signal(sessionevents.OpinionRefuted, ""))
	say(signal(sessionevents.OpinionConfirmed, sessionevents.WorthYes))
	say(signal(sessionevents.OpinionConfirmed, sessionevents.WorthNo))
	void := signal(sessionevents.OpinionRefuted, "")
	void.Void = "nothing is quoted"
	say(void)
	say(sessionevents.OpinionRecorded{
		Kind: sessionevents.QuestionDigest, Turn: 1, Findings: []sessionevents.OpinionFinding{{}, {}},
	})
	f.Apply(events.Event{
		Type: sessionevents.TypeOpinionRecorded, Subject: "other", Data: &sessionevents.OpinionRecorded{Session: "other"},
	})

	m := f.Result()
	line := "second opinion by claude-x: 6 questions, 1 confirmed, 2 refuted, 1 not worth saying, 1 void, 2 found, $0.02"
	require.Equal(t, line, m.Opinions.Text())
	var text, markdown, html bytes.Buffer
	require.NoError(t, RenderText(&text, m, 0, nil))
	require.Contains(t, text.String(), line)
	require.NoError(t, RenderMarkdown(&markdown, m))
	require.Contains(t, markdown.String(), "\n\nSecond opinion by claude-x: 6 questions, 1 confirmed")
	require.NoError(t, RenderHTML(&html, m))
	require.Contains(t, html.String(), line)
	data, err := json.Marshal(m)
	require.NoError(t, err)
	require.Contains(t, string(data), `"second_opinions":{"models":["claude-x"],"questions":6,`)
	require.Contains(t, string(data), `"cost":0.0186`)
}
