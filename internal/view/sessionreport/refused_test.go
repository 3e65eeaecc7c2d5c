package sessionreport

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func refusedEvent(typ, id string) events.Event {
	return events.Event{Type: sessionevents.TypeInputRefused, Subject: "s", Data: &sessionevents.InputRefused{
		Session: "s", Event: id, EventType: typ, Code: "missing_field", Reason: "data.turn_id: is missing",
	}}
}

// DP-33: a turn that was refused is received and not watched, in every form of the report.
func TestRefusedTurnsAreNotWatched(t *testing.T) {
	f := New("s")
	f.Apply(events.Event{
		Type: sessionevents.TypeTurnEvaluated, Subject: "s", Data: &sessionevents.TurnEvaluated{Session: "s", Turn: 1},
	})
	for _, id := range []string{"t2", "t2", "t3"} { // one of them came twice
		f.Apply(refusedEvent(sessionevents.TypeTurnRaw, id))
	}
	m := f.Result()
	c := m.Coverage
	require.Equal(t, []int{3, 1, 2, 2, 0}, []int{c.Received, c.Evaluated, c.NotWatched, c.RefusedTurns, c.Skipped})
	require.Len(t, c.Refused, 2)
	var text, markdown, html, document bytes.Buffer
	require.NoError(t, RenderText(&text, m, 0, nil))
	require.NoError(t, RenderMarkdown(&markdown, m))
	require.NoError(t, RenderHTML(&html, m))
	require.NoError(t, RenderJSON(&document, m))
	for _, form := range []*bytes.Buffer{&text, &markdown, &html} {
		require.Contains(t, form.String(), "3 received, 1 evaluated, 0 failed, 2 refused")
		require.Regexp(t, "(?i)not watched: 2 turns", form.String())
		require.Contains(t, form.String(), "t3: data.turn")
		require.NotContains(t, form.String(), "No findings")
	}
	require.Contains(t, document.String(), `"turns_refused": 2`)
	require.Contains(t, Summary(m), "not watched: 2 turns")
}

// Any other refused event is a gap, too.
func TestRefusedEventsAreNamed(t *testing.T) {
	f := New("s")
	f.Apply(events.Event{
		Type: sessionevents.TypeTurnEvaluated, Subject: "s", Data: &sessionevents.TurnEvaluated{Session: "s", Turn: 1},
	})
	f.Apply(refusedEvent(sessionevents.TypeSessionOpened, "o"))
	require.Contains(t, Summary(f.Result()), "not watched: 1 refused event")
	for n := range maxRefused + 5 {
		f.Apply(refusedEvent(sessionevents.TypeTurnRaw, fmt.Sprint("t", n)))
	}
	c := f.Result().Coverage
	require.Len(t, c.Refused, maxRefused)
	require.Equal(t, maxRefused+6, c.RefusedEvents)
	require.Contains(t, refusedText(c), "Refused: 6 more events.")
}
