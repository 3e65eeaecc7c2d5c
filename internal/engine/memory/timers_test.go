package memory

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// bell sets a timer for each session that opens, as the session's task says, and
// forwards what comes.
type bell struct{ made int }

func (*bell) Name() string { return "ingest" }

func (b *bell) Fold(ev events.Event) ([]events.Event, string) {
	opened, is := ev.Data.(*sessionevents.SessionOpened)
	if !is {
		return []events.Event{ev}, ""
	}
	after, err := time.ParseDuration(opened.Task)
	if err != nil {
		return nil, err.Error()
	}
	b.made++
	return []events.Event{{
		ID: "set-" + strconv.Itoa(b.made), Source: step.Source("ingest"), Type: events.TypeTimerSet, Subject: ev.Subject, Time: ev.Time,
		Data: &events.TimerSet{Name: "bell", Due: ev.Time.Add(after), Group: opened.Run, Details: json.RawMessage(`1`)},
	}}, ""
}

func opens(session, after, group string, at time.Duration) events.Event {
	return events.Event{Type: sessionevents.TypeSessionOpened, Subject: session, Time: noon.Add(at), Data: &sessionevents.SessionOpened{Session: session, Task: after, Run: group}}
}

func closes(session string, at time.Duration) events.Event {
	return events.Event{Type: sessionevents.TypeSessionClosed, Subject: session, Time: noon.Add(at), Data: &sessionevents.SessionClosed{Session: session}}
}

func listed(list []events.Event) (out []string) {
	for _, e := range list {
		if e.Type != events.TypeTimerSet {
			out = append(out, string(e.Type)+" "+e.Group())
		}
	}
	return out
}

// EV-9: time passes as the events say.
func TestTimersGoOffBeforeWhatComesAfterThem(t *testing.T) {
	c := NewChain(&bell{})
	require.Empty(t, listed(c.Feed(opens("a", "45m", "", 0))))
	require.Empty(t, listed(c.Feed(opens("b", "30m", "", time.Minute))))
	require.Equal(t, []string{"session.closed c"}, listed(c.Feed(closes("c", 30*time.Minute))))
	require.Equal(t, []string{"timer.expired b", "timer.expired a", "session.closed c"}, listed(c.Feed(closes("c", time.Hour))))
	require.Equal(t, []string{"session.closed c"}, listed(c.Feed(closes("c", 2*time.Hour))))
}

func TestATimerReplacesItsNamesake(t *testing.T) {
	c := NewChain(&bell{})
	c.Feed(opens("a", "10m", "", 0))
	c.Feed(opens("a", "10m", "", 5*time.Minute))
	require.Equal(t, []string{"session.closed a"}, listed(c.Feed(closes("a", 11*time.Minute))))
	require.Equal(t, []string{"timer.expired a", "session.closed a"}, listed(c.Feed(closes("a", 15*time.Minute))))
}

// What one group tells another comes right after its cause.
func TestATimerDueAtOnceReachesItsGroup(t *testing.T) {
	c := NewChain(&bell{})
	require.Equal(t, []string{"timer.expired project"}, listed(c.Feed(opens("a", "0s", "project", 0))))
}

// Two pieces of news for a group at one moment both arrive.
func TestNewsReplacesNone(t *testing.T) {
	var queue timers
	for i := range 2 {
		queue.set("dispatcher", events.Event{ID: strconv.Itoa(i), Subject: "run", Time: noon}, &events.TimerSet{Name: "news", Group: "project", Due: noon})
	}
	require.Len(t, queue.waiting, 2)
}

func TestOtherFilesAndWrongDatesPassNoTime(t *testing.T) {
	c := NewChain(&bell{})
	c.Feed(opens("a", "10m", "", 0))
	c.Begin()
	require.Equal(t, []string{"session.closed b"}, listed(c.Feed(closes("b", time.Hour))))
	require.Equal(t, []string{"timer.expired a", "session.closed a"}, listed(c.Feed(closes("a", time.Hour))), "its own group's time counts")
	c.Feed(opens("a", "10m", "", time.Hour))
	require.Equal(t, []string{"session.closed a"}, listed(c.Feed(closes("a", 2*maxLate))))
}
