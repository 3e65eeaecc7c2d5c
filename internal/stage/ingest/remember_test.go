package ingest

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

var orchestrator = runevents.Actor{Kind: runevents.ActorOrchestrator, ID: "o"}

// log is what a publisher has of one run with two sessions, n events or more.
func log(r *rand.Rand, n int) (list []events.Event) {
	add := func(typ events.Type, subject, id string, data any) {
		list = append(list, events.Event{
			ID: id, Source: "/test", Type: typ, Subject: subject, PartitionKey: "run",
			Time: start.Add(time.Duration(len(list)) * time.Minute), Data: data,
		})
	}
	sequential := r.IntN(2) == 0
	id := func(i int) string {
		if sequential {
			return fmt.Sprintf("e-%d", i)
		}
		return fmt.Sprintf("%016x-%016x", r.Uint64(), r.Uint64())
	}
	add(runevents.TypeRunStarted, "run", id(0), &runevents.RunStarted{Actor: orchestrator, Kind: "build"})
	for i := 1; len(list) < n; i++ {
		session := fmt.Sprintf("s%d", r.IntN(2))
		switch r.IntN(8) {
		case 0:
			add(runevents.TypeAgentCompleted, "run", id(i), &runevents.AgentCompleted{Actor: orchestrator, AgentID: "a", Outcome: "failure", Phase: "build"})
		case 1:
			add(sessionevents.TypeSessionOpened, session, id(i), &sessionevents.SessionOpened{Session: session, Run: "run"})
		default:
			turn := &sessionevents.Turn{Session: session, Run: "run", TurnID: id(i), Format: "markdown", Text: "work"}
			add(sessionevents.TypeTurnRaw, session, "turn-"+turn.TurnID, turn)
			if r.IntN(40) == 0 { // a rewind
				fork := *turn
				fork.Text = "other work"
				add(sessionevents.TypeTurnRaw, session, "fork-"+turn.TurnID, &fork)
			}
		}
	}
	add(sessionevents.TypeSessionClosed, "s0", id(-1), &sessionevents.SessionClosed{Session: "s0", Reason: "done"})
	return list
}

// fold returns what a machine derives from events, timers apart, one line each.
// Now and then it saves and restores the state.
func fold(t require.TestingT, list []events.Event, restore func(i int) bool) (lines []string) {
	m := New(Options{Redactor: masks{}, Cutter: plain{}, IdleTimeout: 1000 * time.Hour})
	state := m.New("run")
	for i, ev := range list {
		out := step.NewEmitter("ingest", step.Identity{}, ev)
		next, err := m.Step(state, step.Input{Event: ev, Arrived: start.Add(time.Duration(i) * time.Minute)}, out)
		require.NoError(t, err)
		if state = next; restore(i) {
			data, err := m.Encode(state)
			require.NoError(t, err)
			state, err = m.Decode(data)
			require.NoError(t, err)
		}
		for _, derived := range out.Events() {
			if derived.Type == events.TypeTimerSet {
				continue
			}
			data, err := events.EncodeData(derived)
			require.NoError(t, err)
			lines = append(lines, derived.ID+" "+string(derived.Type)+" "+string(data))
		}
	}
	return lines
}

// Two publishes of a log in any interleaving change nothing but the count of
// duplicates, however long the log is (SW-1a).
func TestPublishedTwiceInAnyInterleaving(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "log"), 1))
		list := log(random, rapid.SampledFrom([]int{2, 40, 300, 300, 3000}).Draw(t, "events"))
		once := fold(t, list, func(int) bool { return false })
		ahead := rapid.IntRange(0, len(list)).Draw(t, "ahead") // of the first publish when the second begins
		pace := rapid.Float64Range(0, 1).Draw(t, "pace")
		var both []events.Event
		for first, second := 0, 0; second < len(list); {
			if first < len(list) && (first < ahead || second == first || random.Float64() < pace) {
				both, first = append(both, list[first]), first+1
			} else {
				both, second = append(both, list[second]), second+1
			}
		}
		require.Len(t, both, 2*len(list))
		every := rapid.IntRange(100, 2000).Draw(t, "restored every")
		require.Equal(t, once, fold(t, both, func(i int) bool { return i%every == 0 }))
	})
}

func TestStateStaysSmall(t *testing.T) {
	b := newBench(t)
	const turns = 20_000
	for i := range turns {
		b.turn(fmt.Sprintf("%016x", rand.Uint64()), fmt.Sprint(i))
	}
	data, err := b.machine.Encode(b.state)
	require.NoError(t, err)
	back, err := b.machine.Decode(data)
	require.NoError(t, err)
	require.Equal(t, turns, back.Sessions["s1"].Seen.len())
	require.Equal(t, b.state.remembered, back.remembered)
	require.Less(t, b.machine.Size(back), 9*turns, "8 bytes a turn")
	require.Less(t, len(data), 9*turns, "6.4 bytes a turn in base64")
	again, err := b.machine.Encode(back)
	require.NoError(t, err)
	require.Equal(t, data, again, "the stored form depends on the contents alone")
}

// What cannot be remembered is refused, not guessed; what is known stays known,
// and a person is always heard.
func TestFullGroupRefusesWhatIsNew(t *testing.T) {
	b := newBench(t)
	b.state.limit = sessionMemory + 2*eventMemory
	b.turn("a", "first")
	b.turn("b", "second")
	_, err := b.feed(sessionevents.TypeTurnRaw, &sessionevents.Turn{Session: "s1", TurnID: "c", Format: "markdown", Text: "third"}, time.Time{})
	require.ErrorContains(t, err, "group s1 is full")
	require.ErrorContains(t, err, "continue in another session or run")
	require.Nil(t, b.turn("a", "first"), "a duplicate is still recognised")
	_, err = b.feed(sessionevents.TypeSessionClosed, &sessionevents.SessionClosed{Session: "s1", Reason: "done"}, time.Time{})
	require.ErrorContains(t, err, "is full")
	out, err := b.feed(runevents.TypeRunResumed, &runevents.RunResumed{Actor: runevents.Actor{Kind: runevents.ActorHuman, ID: "p"}, By: "p", Why: "fixed"}, time.Time{},
		func(e *events.Event) { e.Credential = events.RoleOperator })
	require.NoError(t, err)
	require.Len(t, out, 1)
}

// A snapshot of version 1 is read: its ids and contents are in the order of turns.
func TestReadsVersion1(t *testing.T) {
	words := func(list ...uint64) string {
		var data []byte
		for _, word := range list {
			data = binary.LittleEndian.AppendUint64(data, word)
		}
		return base64.StdEncoding.EncodeToString(data)
	}
	hash := xxhash.Sum64String
	content := func(id, text string) uint64 {
		data, err := json.Marshal(&sessionevents.Turn{Session: "s1", TurnID: id, Format: "markdown", Text: text})
		require.NoError(t, err)
		return xxhash.Sum64(data)
	}
	old := fmt.Sprintf(`{"sessions":{"s1":{"turns":3,"ids":%q,"contents":%q}},"events":%q}`,
		words(hash("z"), hash("a"), hash("a")), words(content("z", "first"), content("a", "second"), content("a", "fork")), words(9, 3, hash("/test\x00x")))
	b := newBench(t)
	state, err := b.machine.Decode([]byte(old))
	require.NoError(t, err)
	b.state = state
	require.Nil(t, b.turn("z", "first"))
	require.Nil(t, b.turn("a", "second"))
	require.Nil(t, b.turn("a", "fork"))
	require.True(t, b.turn("z", "other").Continuity.Fork)
	require.Equal(t, 5, b.turn("new", "work").Turn)
	out, err := b.feed(sessionevents.TypeSessionClosed, &sessionevents.SessionClosed{Session: "s1"}, time.Time{}, func(e *events.Event) { e.ID = "x" })
	require.NoError(t, err)
	require.Empty(t, out)
	data, err := b.machine.Encode(b.state)
	require.NoError(t, err)
	require.NotContains(t, string(data), "contents")
	require.True(t, strings.Contains(string(data), "turned"))
	require.Positive(t, b.machine.Options().Oldest)
}

// A snapshot of version 3 is read: what it knows is still told from repetitions and forks, and new turns are kept
// beside it.
func TestReadsVersion3(t *testing.T) {
	hash := xxhash.Sum64String
	data, err := json.Marshal(&sessionevents.Turn{Session: "s1", TurnID: "a", Format: "markdown", Text: "first"})
	require.NoError(t, err)
	words := func(word uint64) string {
		return base64.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint64(nil, word))
	}
	b := newBench(t)
	b.state, err = b.machine.Decode(fmt.Appendf(nil, `{"sessions":{"s1":{"turns":1,"ids":%q,"turned":%q}}}`,
		words(hash("a")), words(both(hash("a"), xxhash.Sum64(data)))))
	require.NoError(t, err)
	for range 2 { // from the old form and from the new one
		require.Nil(t, b.turn("a", "first"))
		saved, err := b.machine.Encode(b.state)
		require.NoError(t, err)
		b.state, err = b.machine.Decode(saved)
		require.NoError(t, err)
	}
	require.True(t, b.turn("a", "other").Continuity.Fork)
	require.Nil(t, b.turn("a", "other"))
	require.Nil(t, b.turn("b", "next").Continuity)
	require.True(t, b.turn("b", "another").Continuity.Fork)
	require.Equal(t, 3, b.state.Sessions["s1"].Seen.len())
}
