package notice

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Credentials, injections and destructive acts are notices; other interrupts are in
// the feed and the report (CO-4).
func TestInterruptsThatPeopleShouldKnow(t *testing.T) {
	w, err := LoadWords(rules.Default())
	require.NoError(t, err)
	fired := func(detector string) []Notice {
		return w.Describe(events.Event{ID: "e1", Subject: "s1", Data: &sessionevents.InterruptFired{
			ID: "i1", Session: "s1", Detector: detector, Message: "A key is in a.py.", Reason: "It is a token.",
		}}, Run{}, "")
	}
	for _, detector := range []string{"B1", "B2", "E3"} {
		list := fired(detector)
		require.Len(t, list, 1, detector)
		require.Equal(t, "s1: A key is in a.py.", list[0].Title)
		require.Contains(t, list[0].Text, "It is a token.")
		require.Contains(t, list[0].Text, "scaffoldwatch dismiss i1")
		require.True(t, list[0].Urgent)
		require.Empty(t, list[0].Open, "nobody has to answer it")
	}
	require.Empty(t, fired("C4"))
}
