package cloudevents

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// A session meets its run in one group, wherever the log names the run (EV-4).
func TestTheEventsOfASessionMeetInTheGroupOfItsRun(t *testing.T) {
	known := sessions{}
	joined := func(e events.Event) string {
		events.JoinRun(&e)
		known.join(&e)
		return e.Group()
	}
	turn := func(session, run string) events.Event {
		return events.Event{Type: events.TypeTurnRaw, Subject: session, Data: &events.Turn{Session: session, Run: run}}
	}
	closed := func(session string) events.Event {
		return events.Event{Type: events.TypeSessionClosed, Subject: session, Data: &events.SessionClosed{Session: session}}
	}

	require.Equal(t, "s1", joined(turn("s1", "")), "nobody has named a run yet")
	require.Equal(t, "r1", joined(events.Event{Type: events.TypeSessionOpened, Subject: "s1", Data: &events.SessionOpened{Session: "s1", Run: "r1"}}))
	require.Equal(t, "r1", joined(turn("s1", "")))
	require.Equal(t, "r2", joined(turn("s2", "r2")))
	require.Equal(t, "r2", joined(closed("s2")))
	require.Equal(t, "r1", joined(closed("s1")))
	require.Equal(t, "s3", joined(closed("s3")), "a session without a run is a group of its own")

	own := closed("s1")
	own.PartitionKey = "s1"
	require.Equal(t, "s1", joined(own), "what the log says itself holds")
}
