package cloudevents

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// A session meets its run in one group, wherever the log names the run (EV-4).
func TestTheEventsOfASessionMeetInTheGroupOfItsRun(t *testing.T) {
	known := sessions{runs: map[string]string{}}
	joined := func(e events.Event) string {
		e.JoinRun()
		known.join(&e)
		return e.Group()
	}
	turn := func(session, run string) events.Event {
		return events.Event{Type: sessionevents.TypeTurnRaw, Subject: session, Data: &sessionevents.Turn{Session: session, Run: run}}
	}
	closed := func(session string) events.Event {
		return events.Event{Type: sessionevents.TypeSessionClosed, Subject: session, Data: &sessionevents.SessionClosed{Session: session}}
	}

	require.Equal(t, "s1", joined(turn("s1", "")), "nobody has named a run yet")
	require.Equal(t, "r1", joined(events.Event{Type: sessionevents.TypeSessionOpened, Subject: "s1", Data: &sessionevents.SessionOpened{Session: "s1", Run: "r1"}}))
	require.Equal(t, "r1", joined(turn("s1", "")))
	require.Equal(t, "r2", joined(turn("s2", "r2")))
	require.Equal(t, "r2", joined(closed("s2")))
	require.Equal(t, "r1", joined(closed("s1")))
	require.Equal(t, "s3", joined(closed("s3")), "a session without a run is a group of its own")

	known.run = "nightly"
	given := turn("s4", "")
	require.Equal(t, "nightly", joined(given), "the run that --run names")
	require.Equal(t, "nightly", given.Data.(*sessionevents.Turn).Run)
	require.Equal(t, "nightly", joined(closed("s4")))
	require.Equal(t, "r1", joined(turn("s1", "")), "what the log names holds")

	own := closed("s1")
	own.PartitionKey = "s1"
	require.Equal(t, "s1", joined(own), "what the log says itself holds")
}
