package budget

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func group(sessions ...*Session) *State {
	s := &State{Sessions: map[string]*Session{}}
	for i, one := range sessions {
		one.ID, one.Heard = fmt.Sprint("s", i), i
		s.Sessions[one.ID] = one
	}
	return s
}

// Room is made at the limit and not before, of closed sessions in which nothing
// waits, the longest silent first, and never of the one that needs it.
func TestMakeRoom(t *testing.T) {
	waits := &sessionevents.Signal{ID: "w"}
	full := func() *State {
		return group(
			&Session{Closed: true, Collected: []*sessionevents.Signal{waits}}, &Session{Closed: true, Pending: []*sessionevents.Signal{waits}},
			&Session{Closed: true, Queue: []Entry{{Signal: waits}}}, &Session{},
			&Session{Closed: true, Collected: []*sessionevents.Signal{waits}, Pending: []*sessionevents.Signal{waits}},
			&Session{Closed: true}, &Session{Closed: true}, &Session{Closed: true}, &Session{Closed: true, Watched: []*sessionevents.Signal{waits}})
	}
	s := full()
	s.makeRoom(9, "s7")
	require.Len(t, s.Sessions, 9, "there is room")
	s.makeRoom(8, "s7")
	require.NotContains(t, s.Sessions, "s5", "the longest silent")
	require.Len(t, s.Sessions, 8)
	s.makeRoom(1, "s7")
	require.Len(t, s.Sessions, 7, "what waits, what is open and the new one stay")
	require.Contains(t, s.Sessions, "s7")
}

func TestFiredIn(t *testing.T) {
	require.False(t, (&Session{}).firedIn(0), "it never fired")
	require.True(t, (&Session{LastFire: 1}).firedIn(1))
	require.False(t, (&Session{LastFire: 1}).firedIn(2))
	require.True(t, (&Session{}).cooldownOver(1, 5))
	require.False(t, (&Session{LastFire: 1}).cooldownOver(5, 5))
	require.True(t, (&Session{LastFire: 1}).cooldownOver(6, 5))
}

// The size counts every part once, so that the bound on memory holds.
func TestSize(t *testing.T) {
	signal := &sessionevents.Signal{ID: "1", Subject: "22", Message: "333", Reason: "4444", Evidence: []sessionevents.Evidence{{Path: "5", Quote: "66"}, {}}}
	one := signalBytes + 1 + 2 + 3 + 4 + evidenceBytes + 1 + 2 + evidenceBytes
	require.Equal(t, one, signalSize(signal))
	require.Zero(t, signalSize(nil))
	m := NewMachine(defaultConfig(t))
	sizeOf := func(s *Session) int { return m.Size(group(s)) - 2*sessionBytes - len("s0") }
	require.Zero(t, sizeOf(&Session{}))
	require.Equal(t, firedBytes, sizeOf(&Session{Fired: make([]Fired, 1)}))
	require.Equal(t, 3*sessionBytes/2, sizeOf(&Session{Mutes: make([]Mute, 1), Streaks: make([]Streak, 1), Disregards: make([]Disregard, 1)}))
	require.Equal(t, one, sizeOf(&Session{Collected: []*sessionevents.Signal{signal}}))
	require.Equal(t, one, sizeOf(&Session{Pending: []*sessionevents.Signal{signal}}))
	require.Equal(t, one, sizeOf(&Session{Watched: []*sessionevents.Signal{signal}}))
	require.Equal(t, 3*one, sizeOf(&Session{Queue: []Entry{{Signal: signal}, {Signal: signal, Latest: signal}}}))
	require.Equal(t, sessionBytes, m.Size(&State{}))
}

func TestWording(t *testing.T) {
	require.Equal(t, "one two", Wording("one\n two", 2), "as many as may be")
	require.Equal(t, "one two…", Wording("one two three", 2))
	require.Equal(t, "ab c", Wording("a\x00\u200bb\tc", 5))
}

// A mute ends behind its last turn and at its time, whichever comes first.
func TestMuteIsOver(t *testing.T) {
	at := time.Unix(1000, 0)
	require.False(t, Mute{}.over(1000, at), "without a limit")
	require.False(t, Mute{UntilTurn: 3}.over(3, at))
	require.True(t, Mute{UntilTurn: 3}.over(4, at))
	require.False(t, Mute{UntilTurn: 1}.over(1, at))
	require.True(t, Mute{UntilTurn: 1}.over(2, at))
	require.False(t, Mute{Until: at}.over(1, at.Add(-1)))
	require.True(t, Mute{Until: at}.over(1, at))
	require.True(t, Mute{UntilTurn: 3, Until: at.Add(time.Hour)}.over(4, at))
}

// An unmute takes back what has its scope, detector and subject, and nothing else.
func TestUnmuteTakesBackItsOwn(t *testing.T) {
	all := []Mute{
		{Scope: runevents.MuteDetector, Detector: "A1", Subject: "x"},
		{Scope: runevents.MuteSubject, Detector: "A1", Subject: "x"},
		{Scope: runevents.MuteDetector, Detector: "A2", Subject: "x"},
		{Scope: runevents.MuteDetector, Detector: "A1", Subject: "y"},
	}
	require.Equal(t, all[1:], Mute{Scope: runevents.MuteDetector, Detector: "A1", Subject: "x"}.Without(all))
	require.Len(t, all, 4)
}

// A repeat is one of its detector and its subject.
func TestStreakOfASignal(t *testing.T) {
	s := &Session{Streaks: []Streak{{Detector: "C4", Subject: "npm", Length: 3}}}
	k, ok := s.streak(&sessionevents.Signal{Detector: "C4", Subject: "npm"})
	require.True(t, ok)
	require.Equal(t, 3, k.Length)
	for _, other := range []*sessionevents.Signal{{Detector: "C4", Subject: "make"}, {Detector: "C5", Subject: "npm"}} {
		_, ok = s.streak(other)
		require.False(t, ok)
	}
}

// After it fired at once a repeat is capped, whatever forced it.
func TestOncePerStreak(t *testing.T) {
	c := defaultConfig(t)
	signal := &sessionevents.Signal{Detector: "C4", Subject: "npm"}
	w := &work{config: c, session: &Session{Streaks: []Streak{{Detector: "C4", Subject: "npm", AtOnce: true}}}}
	loud := candidate{signal: signal, urgency: 50, forced: true}
	require.Equal(t, candidate{signal: signal, urgency: tenths(c.OncePerStreak.Cap)}, oncePerStreak(w, loud))
	w.session.Streaks[0].AtOnce = false
	require.Equal(t, loud, oncePerStreak(w, loud))
	require.Equal(t, 4, Streak{Length: 7, Said: 3}.Fresh())
}

func TestClassRank(t *testing.T) {
	c := defaultConfig(t)
	for i, class := range c.ClassOrder {
		require.Equal(t, i, c.classRank(class))
	}
	require.Equal(t, len(c.ClassOrder), c.classRank("Z"), "unknown classes come last")
}

// What is folded into a queued signal leaves its marks there; what was said already
// keeps none.
func TestCoalesced(t *testing.T) {
	first, next := &sessionevents.Signal{ID: "first"}, &sessionevents.Signal{ID: "next"}
	into := func(e Entry, d coalesced) Entry {
		s := &Session{Queue: []Entry{e}}
		d.signal, d.disposition.Into, d.disposition.Turn = next, "first", 9
		d.evolve(s)
		require.Len(t, s.Queue, 1)
		return s.Queue[0]
	}
	start := Entry{Signal: first, Urgency: 20, Reason: sessionevents.ReasonBelowFire, Count: 1}
	marked := Entry{Signal: first, Urgency: 20, Reason: sessionevents.ReasonBelowFire, Count: 1, Forced: true, Cooled: true, Committed: true}
	quiet := coalesced{disposition: sessionevents.Disposition{Urgency: 20}, reason: "other"}
	want := start
	want.Latest, want.Count, want.Since = next, 2, 9
	require.Equal(t, want, into(start, quiet), "as urgent: the reason stays")
	loud := coalesced{disposition: sessionevents.Disposition{Urgency: 21}, reason: sessionevents.ReasonCooldown, forced: true, committed: true}
	want.Urgency, want.Reason, want.Forced, want.Cooled, want.Committed = 21, sessionevents.ReasonCooldown, true, true, true
	require.Equal(t, want, into(start, loud))
	want.Urgency, want.Reason = 20, sessionevents.ReasonBelowFire
	require.Equal(t, want, into(marked, quiet), "what it was marked with stays")
	said := &Session{}
	coalesced{disposition: sessionevents.Disposition{Into: "first"}}.evolve(said)
	require.Empty(t, said.Queue)
}

// An entry in the place of another has what that one gathered and the higher urgency, and its own reason.
func TestInsteadOf(t *testing.T) {
	old, now := &sessionevents.Signal{ID: "old"}, &sessionevents.Signal{ID: "now"}
	before := Entry{Signal: old, Latest: old, Urgency: 20, Reason: sessionevents.ReasonBelowFire, Count: 2, Since: 5, From: 4}
	next := Entry{Signal: now, Urgency: 40, Reason: sessionevents.ReasonCooldown, Cooled: true, Count: 1, Since: 9, From: 9}
	require.Equal(t, Entry{Signal: now, Urgency: 40, Reason: sessionevents.ReasonCooldown, Cooled: true, Count: 3, Since: 9, From: 4}, next.insteadOf(before))
	before.Forced, before.Cooled, before.Committed, next.Cooled = true, true, true, false
	got := next.insteadOf(before)
	require.Equal(t, []bool{true, true, true}, []bool{got.Forced, got.Cooled, got.Committed})
	require.Equal(t, []bool{true, true, true}, func() []bool {
		got := before.insteadOf(next)
		return []bool{got.Forced, got.Cooled, got.Committed}
	}())
}

// Heeded is what corrects the first signal or the latest one.
func TestOpenIDs(t *testing.T) {
	one, two, latest := &sessionevents.Signal{ID: "1"}, &sessionevents.Signal{ID: "2"}, &sessionevents.Signal{ID: "3"}
	require.Equal(t, [][]string{{"1"}, {"2"}}, utterance{signals: []*sessionevents.Signal{one, two}}.openIDs())
	require.Equal(t, [][]string{{"1", "3"}, {"2"}}, utterance{signals: []*sessionevents.Signal{one, two}, latest: latest}.openIDs())
}

// Every detector has its own count of what was ignored; to heed one ends its own.
func TestDisregards(t *testing.T) {
	s := &Session{}
	s.spokeAgain("A1")
	s.regarded("A1")
	require.Empty(t, s.Disregards, "nothing was ignored yet")
	s.ignored(Fired{Detector: "A1", Heard: 1})
	s.ignored(Fired{Detector: "A1"})
	s.ignored(Fired{Detector: "C4", Heard: 7})
	s.spokeAgain("A1")
	s.spokeAgain("C4")
	s.spokeAgain("D1")
	require.Equal(t, []Disregard{{Detector: "A1", Ignored: 2, Heard: 1, Again: 1}, {Detector: "C4", Ignored: 1, Heard: 1, Again: 1}}, s.Disregards)
	s.regarded("A1")
	s.regarded("D1")
	require.Equal(t, []Disregard{{Detector: "C4", Ignored: 1, Heard: 1, Again: 1}}, s.Disregards)
	s.regarded("C4")
	require.Empty(t, s.Disregards)
}

// A refund is given once, for what was charged; only a dismissal ends the count of
// what was ignored.
func TestSettled(t *testing.T) {
	s := &Session{Budget: 1, Fired: []Fired{{ID: "free", Detector: "A1"}, {ID: "paid", Detector: "C4", Charged: true, Open: [][]string{{"x"}}}}}
	s.ignored(Fired{Detector: "C4"})
	settled{id: "gone", refund: true, dismissed: true}.evolve(s)
	settled{id: "free", refund: true}.evolve(s)
	require.Equal(t, 1, s.Budget, "it cost nothing")
	require.True(t, s.Fired[0].Settled)
	settled{id: "paid"}.evolve(s)
	require.Equal(t, 1, s.Budget, "no refund was asked for")
	require.Len(t, s.Disregards, 1)
	for range 2 {
		settled{id: "paid", refund: true, dismissed: true}.evolve(s)
	}
	require.Equal(t, 2, s.Budget, "once")
	require.Equal(t, Fired{ID: "paid", Detector: "C4", Settled: true}, s.Fired[1])
	require.Empty(t, s.Disregards)
}

func TestTurnClosed(t *testing.T) {
	s := &Session{Closed: true, Run: "r"}
	turnClosed{turn: 4}.evolve(s)
	require.Equal(t, Session{Turn: 4, Run: "r"}, *s, "a turn without a run leaves the session's")
	turnClosed{turn: 5, run: "q"}.evolve(s)
	require.Equal(t, "q", s.Run)
	s.Noted = 3
	closed{}.evolve(s)
	require.True(t, s.Closed)
	require.Zero(t, s.Noted)
}
