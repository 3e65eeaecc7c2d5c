package mailbox

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// ledger is a DECISIONS whose sequences are the places in a list, from 1.
type ledger struct {
	mu      sync.Mutex
	list    []events.Event
	through int           // of what it shows
	asked   []string      // ids
	wait    chan struct{} // if set, an answer waits for it after its end is fixed
	began   chan struct{}
}

// About implements record, and like it leaves out all turns but the last where no mute counts them.
func (l *ledger) About(_ context.Context, id string) (list []entry, through uint64, err error) {
	l.mu.Lock()
	l.asked = append(l.asked, id)
	end, all := l.through, l.list
	l.mu.Unlock()
	group, last, muted := "", -1, false
	for i, e := range all[:end] {
		if e.Subject == id {
			group = e.Group()
		}
		if _, is := e.Data.(*sessionevents.TurnEvaluated); is && e.Subject == id {
			last = i
		}
	}
	for i, e := range all[:end] {
		_, control := e.Data.(*runevents.ControlChanged)
		if e.Subject != id && (e.Subject != group || control) {
			continue
		}
		act, is := e.Data.(*runevents.OperatorAct)
		muted = muted || is && act.Act == runevents.ActMute
		list = append(list, entry{e, uint64(i + 1)})
	}
	list = slices.DeleteFunc(list, func(e entry) bool {
		_, is := e.Data.(*sessionevents.TurnEvaluated)
		return is && !muted && int(e.at) != last+1
	})
	if l.wait != nil {
		l.began <- struct{}{}
		<-l.wait
	}
	return list, uint64(end), nil
}

// Turns implements record.
func (l *ledger) Turns(_ context.Context, id string, through uint64,
	evaluated func(*sessionevents.TurnEvaluated),
) error {
	for _, e := range l.list[:through] {
		if d, is := e.Data.(*sessionevents.TurnEvaluated); is && d.Session == id {
			evaluated(d)
		}
	}
	return nil
}

// following returns a mailbox that follows a ledger from its present end on.
func following(l *ledger) *Mailbox {
	m := New()
	m.boxes.partly, m.openings.record, m.openings.followed = true, l, uint64(l.through)
	m.CatchUp()
	return m
}

func (l *ledger) decide(m *Mailbox, e events.Event) {
	l.mu.Lock()
	l.list = append(l.list, e)
	l.through = len(l.list)
	l.mu.Unlock()
	m.take(e, uint64(len(l.list)))
}

// What was decided before the start is read with a session's first hook, and of no other session: what
// waits is said, what was emitted is not said again and acknowledged (DP-21).
func TestASessionIsReadWithItsFirstHook(t *testing.T) {
	l := &ledger{list: []events.Event{
		evaluated(1, ""), fired("a", 1), told("a", sessionevents.DeliveryEmitted), evaluated(2, ""), fired("b", 2),
	}}
	l.through = len(l.list)
	m := following(l)
	require.Empty(t, l.asked, "a start reads nothing of the past")
	require.Empty(t, next(m))
	m.Open(t.Context(), "s", "s", "")
	require.Equal(t, []string{"s", "r"}, l.asked, "the run is known from its turns")
	require.Equal(t, "b", next(m))
	require.False(t, m.Begins(t.Context(), "s"))
	require.Len(t, m.Progress("s", hook.PointStop), 1)
	m.Open(t.Context(), "s", "s", "")
	require.Len(t, l.asked, 2, "once")
	require.True(t, m.Begins(t.Context(), "new"))
	l.decide(m, inGroup("r", fired("c", 3)))
	require.True(t, m.Emitted(fact("b"), false))
	require.Equal(t, "c", next(m), "what is decided from now on")
}

// Whether a session is new is known once it is read, also if its first hook comes before the decisions are
// followed: a person's work would else be that of an unknown author.
func TestASessionIsNewAlsoWhileTheSystemStarts(t *testing.T) {
	m := New()
	begins := make(chan bool)
	go func() { begins <- m.Begins(t.Context(), "s") }()
	select {
	case <-begins:
		require.Fail(t, "nothing is known yet")
	case <-time.After(3 * beginPause):
	}
	m.mu.Lock()
	m.boxes.partly, m.openings.record = true, &ledger{}
	m.mu.Unlock()
	m.CatchUp()
	require.True(t, <-begins)
}

// What is decided while a session is being read counts once, whether the answer contains it or not.
func TestDecidedWhileASessionIsRead(t *testing.T) {
	for _, contained := range []bool{false, true} {
		l := &ledger{wait: make(chan struct{}), began: make(chan struct{})}
		l.list = []events.Event{evaluated(1, ""), fired("a", 1), fired("b", 1)}
		l.through = len(l.list)
		m := following(l)
		late := []events.Event{
			told("a", sessionevents.DeliveryEmitted), fired("c", 1),
			told("b", sessionevents.DeliveryExpired),
		}
		if contained {
			l.list, l.through = append(l.list, late...), len(l.list)+len(late)
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		m.Open(over, "s", "s", "r")
		<-l.began
		<-l.began
		for i, e := range late {
			m.take(e, uint64(4+i))
		}
		require.Empty(t, next(m), "nothing is said before all is read")
		close(l.wait)
		m.Open(t.Context(), "s", "s", "r")
		require.Equal(t, "c", next(m), "contained: %v", contained)
		require.Len(t, m.Progress("s", hook.PointStop), 1)
		require.Empty(t, m.openings.since)
	}
}

// A copy of the stream that lags behind what was followed is asked again.
func TestACopyThatLags(t *testing.T) {
	l := &ledger{wait: make(chan struct{}), began: make(chan struct{})}
	l.list = []events.Event{evaluated(1, ""), fired("a", 1)}
	l.through = 1
	m := following(l)
	m.take(l.list[1], 2) // of a session that is not opened
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.Open(t.Context(), "s", "s", "s")
	}()
	<-l.began
	l.wait <- struct{}{}
	<-l.began
	l.mu.Lock()
	l.through = 2
	l.mu.Unlock()
	l.wait <- struct{}{}
	<-l.began
	l.wait <- struct{}{}
	<-done
	require.Equal(t, "a", next(m))
}

// A stop that was known when the broker was lost holds until the session is read again (RW-33).
func TestAHaltOutlivesAReset(t *testing.T) {
	l := &ledger{list: []events.Event{changed(runevents.ScopeSession, runevents.ControlHalted, "leak")}, through: 1}
	m := following(l)
	m.Open(t.Context(), "s", "s", "")
	require.Equal(t, "leak", m.State("s", "s", "").Why)
	m.reset()
	m.openings.record, m.openings.followed = l, 1
	m.CatchUp()
	require.Equal(t, "leak", m.State("s", "s", "").Why)
	l.decide(m, changed(runevents.ScopeSession, runevents.ControlRunning, ""))
	require.Equal(t, runevents.ControlHalted, m.State("s", "s", "").State, "an older stop may still come")
	m.Open(t.Context(), "s", "s", "")
	require.Equal(t, runevents.ControlRunning, m.State("s", "s", "").State)
}

// A permission is passed on once, also when its session is read after it.
func TestAPermissionIsPassedOnOnce(t *testing.T) {
	act := decision("act", &runevents.OperatorAct{Act: runevents.ActAllow, Session: "s", Target: "word"})
	l := &ledger{list: []events.Event{act}, through: 1}
	m := following(l)
	passed := 0
	m.Allowed = func(string, string, string, time.Time) { passed++ }
	m.Open(t.Context(), "s", "s", "")
	require.Equal(t, 1, passed)
	l.decide(m, decision("c", &sessionevents.SessionClosed{Session: "s"}))
	m.boxes.remove(m.boxes.at("s"))
	m.Open(t.Context(), "s", "s", "")
	require.Equal(t, 1, passed)
	other := act
	other.ID = "another"
	l.decide(m, other)
	require.Equal(t, 2, passed)
}

// The files of earlier turns are told after a session was opened.
func TestEarlierTurnsTellTheirFiles(t *testing.T) {
	e := evaluated(1, "")
	e.Data.(*sessionevents.TurnEvaluated).Observed = &sessionevents.Observations{FilesEdited: []string{"a.go"}}
	m := following(&ledger{list: []events.Event{e, evaluated(2, "")}, through: 2})
	told := make(chan []string, 1)
	m.Edited = func(_ string, files []string) { told <- files }
	m.Open(t.Context(), "s", "s", "r")
	require.Equal(t, []string{"a.go"}, <-told)
}

// history draws decisions about two sessions of a run.
func history(rt *rapid.T) []events.Event {
	var list []events.Event
	turn, ids := map[string]int{}, map[string]int{}
	in := func(e events.Event, subject string) events.Event {
		e.ID, e.Subject, e.PartitionKey = fmt.Sprint("e", len(list)), subject, "r"
		return e
	}
	for range rapid.IntRange(0, 40).Draw(rt, "decisions") {
		s := rapid.SampledFrom([]string{"s", "other"}).Draw(rt, "session")
		var data any
		subject := s
		switch rapid.IntRange(0, 11).Draw(rt, "kind") {
		case 0, 1, 2, 3:
			turn[s]++
			data = &sessionevents.TurnEvaluated{Session: s, Run: "r", Turn: turn[s]}
		case 4, 5:
			ids[s]++
			data = &sessionevents.InterruptFired{
				Session: s, Run: "r", ID: fmt.Sprint(s, ids[s]), Turn: turn[s],
				ExpiresTurn: turn[s] + 2,
			}
		case 6, 7:
			state := rapid.SampledFrom([]sessionevents.DeliveryState{
				sessionevents.DeliveryEmitted, sessionevents.DeliveryAcked, sessionevents.DeliveryExpired,
				sessionevents.DeliveryDismissed,
			}).Draw(rt, "state")
			if ids[s] == 0 {
				continue
			}
			data = &sessionevents.InterruptDelivery{
				Session:   s,
				Interrupt: fmt.Sprint(s, rapid.IntRange(1, ids[s]).Draw(rt, "of")), State: state,
			}
		case 8:
			of := s
			if rapid.Bool().Draw(rt, "group") {
				of, subject = "", "r"
			}
			data = &runevents.OperatorAct{Act: runevents.ActMute, Session: of, Details: json.RawMessage(fmt.Sprintf(`{"scope":"detector","detector":"B%d","turns":2}`, 1+len(list)%4))}
		case 9:
			scope := runevents.ScopeSession
			if rapid.Bool().Draw(rt, "run") {
				scope, subject = runevents.ScopeRun, "r"
			}
			data = &runevents.ControlChanged{
				Scope: scope,
				State: rapid.SampledFrom([]runevents.ControlState{
					runevents.ControlHalted,
					runevents.ControlRunning,
				}).Draw(rt, "control"), Ended: rapid.Bool().Draw(rt, "ended"),
			}
		case 10:
			data = &sessionevents.SessionClosed{Session: s}
		case 11:
			subject = "r"
			data = &runevents.ContentPurged{IDs: []string{"r", "s", "other"}}
		}
		list = append(list, in(events.Event{Data: data}, subject))
	}
	return list
}

// Whenever the mailbox starts, and whenever a session is opened, it holds the same of it as one that has read
// everything: nothing is lost, and nothing is said twice (DP-21).
func TestAnOpenedSessionIsAsIfAllHadBeenRead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list := history(rt)
		whole := New()
		for _, e := range list {
			whole.Apply(e)
		}
		whole.CatchUp()

		start := rapid.IntRange(0, len(list)).Draw(rt, "start")
		l := &ledger{list: slices.Clone(list[:start]), through: start}
		m := following(l)
		for _, e := range list[start:] {
			if rapid.IntRange(0, 3).Draw(rt, "hook") == 0 {
				m.Open(context.Background(), "s", "s", "r")
			}
			l.decide(m, e)
		}
		m.Open(context.Background(), "s", "s", "r")
		want, got := whole.boxes.known("s"), m.boxes.known("s")
		if want == nil || got == nil {
			require.Equal(rt, want == nil, got == nil, "known at all")
		} else {
			require.Equal(rt, want.waiting, got.waiting)
			require.Equal(rt, want.emitted, got.emitted)
			require.Equal(rt, want.turn, got.turn)
			require.Equal(rt, want.run, got.run)
		}
		wantMutes, wantTurn := whole.Mutes("s", "s", "r")
		mutes, turn := m.Mutes("s", "s", "r")
		require.ElementsMatch(rt, wantMutes, mutes)
		require.Equal(rt, wantTurn, turn)
		require.Equal(rt, whole.State("s", "s", "r").State, m.State("s", "s", "r").State)
		expired := func(of *Mailbox) (ids []string) {
			for _, f := range of.Settled() {
				if f.Session == "s" {
					ids = append(ids, f.Interrupt)
				}
			}
			return ids
		}
		require.ElementsMatch(rt, expired(whole), expired(m))
	})
}
