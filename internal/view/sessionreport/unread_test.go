package sessionreport

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// DP-33: what a detector did not examine is named by file in every form of the report.
func TestWhatIsNotLookedAtIsNamed(t *testing.T) {
	f := New("s")
	for turn, places := range []int{3, 4} {
		f.Apply(events.Event{Type: sessionevents.TypeTurnEvaluated, Subject: "s", Data: &sessionevents.TurnEvaluated{
			Session: "s", Turn: turn + 1,
			Observed: &sessionevents.Observations{
				Unread: []sessionevents.Unread{{Detector: "B2", Path: "src/all.py", Places: places}},
			},
		}})
	}
	m := f.Result()
	require.Equal(t, []sessionevents.Unread{{Detector: "B2", Path: "src/all.py", Places: 7}}, m.Coverage.Unread)
	var text, markdown, html, document bytes.Buffer
	require.NoError(t, RenderText(&text, m, 0, nil))
	require.NoError(t, RenderMarkdown(&markdown, m))
	require.NoError(t, RenderHTML(&html, m))
	require.NoError(t, RenderJSON(&document, m))
	for _, form := range []*bytes.Buffer{&text, &markdown, &html} {
		require.Contains(t, form.String(), "Not looked at by B2: 7 places in src/all.py, since the edit is too long.")
	}
	require.Contains(t, document.String(), `"places": 7`)
}
