package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Opinions keep their place in INPUT and the list's time; a list that INPUT does not hold whole, or in
// another order, is an error.
func TestBetween(t *testing.T) {
	event := func(id string, minute int) events.Event {
		return events.Event{ID: id, Source: "s", Type: sessionevents.TypeTurnRaw, Time: time.Date(2026, 3, 2, 10, minute, 0, 0, time.UTC)}
	}
	opinion := events.Event{ID: "o", Source: "advisor", Type: sessionevents.TypeOpinionRecorded, Time: time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)}
	a, b := event("a", 1), event("b", 2)

	got, err := between([]events.Event{a, b}, []events.Event{a, opinion, b})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "o", "b"}, []string{got[0].ID, got[1].ID, got[2].ID})
	require.Equal(t, a.Time, got[1].Time)

	_, err = between([]events.Event{a, b}, []events.Event{a, opinion})
	require.ErrorContains(t, err, "INPUT lacks event b")
	_, err = between([]events.Event{a, b}, []events.Event{b, a})
	require.Error(t, err)
}
