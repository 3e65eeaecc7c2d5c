package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func take(a *Assembler) []events.Event {
	var all []events.Event
	for {
		e, ok := a.Take()
		if !ok {
			return all
		}
		all = append(all, e)
	}
}

func turns(all []events.Event) []*sessionevents.Turn {
	var out []*sessionevents.Turn
	for _, e := range all {
		if t, ok := e.Data.(*sessionevents.Turn); ok {
			out = append(out, t)
		}
	}
	return out
}

// User messages belong to the turn that follows, results to the open one, and
// what no turn follows is counted (SW-1).
func TestTurns(t *testing.T) {
	a := New("test", "fallback", Options{})
	s := a.Main()
	s.User("one", time.Time{})
	s.User(" \n", time.Time{})
	s.Begin("m1", time.Time{})
	s.Text("answer")
	s.Text("\n\n")
	s.User("two", time.Time{})
	s.Add(sessionevents.Block{Type: sessionevents.BlockToolResult, ID: "late"})
	s.Begin("m1", time.Time{}) // goes on
	s.Thinking("more")
	s.Begin("m2", time.Time{})
	s.Text("second")
	s.User("three", time.Time{})
	a.End(false)
	got := turns(take(a))
	require.Len(t, got, 2)
	require.Equal(t, []sessionevents.Block{
		{Type: sessionevents.BlockUser, Text: "one"},
		{Type: sessionevents.BlockText, Text: "answer"},
		{Type: sessionevents.BlockToolResult, ID: "late"},
		{Type: sessionevents.BlockThinking, Text: "more"},
	}, got[0].Blocks)
	require.Equal(t, []sessionevents.Block{{Type: sessionevents.BlockUser, Text: "two"}, {Type: sessionevents.BlockText, Text: "second"}}, got[1].Blocks)
	require.Equal(t, 1, a.Stats.Unclaimed)
}

// A turn id seen before with other content is marked, so that late lines of a
// response are no fork; with the same content it is the same turn (SW-1a).
func TestRepeatedTurnIDs(t *testing.T) {
	a := New("test", "fallback", Options{})
	s := a.Main()
	for _, text := range []string{"a", "b", "a", "c"} {
		s.Begin("m", time.Time{})
		s.Text(text)
		s.Flush()
	}
	var ids []string
	for _, turn := range turns(take(a)) {
		ids = append(ids, turn.TurnID)
	}
	require.Equal(t, []string{"m", "m~2", "m", "m~3"}, ids)
}

// Ids are functions of session, turn id and content, times of the transcript or
// a fixed epoch (EV-2).
func TestIdentity(t *testing.T) {
	build := func(session, turn, text string) events.Event {
		a := New("test", session, Options{})
		a.Main().Begin(turn, time.Time{})
		a.Main().Text(text)
		a.End(false)
		all := take(a)
		require.Len(t, all, 3)
		return all[1]
	}
	base := build("s", "m", "text")
	require.Equal(t, base, build("s", "m", "text"))
	require.Equal(t, Epoch.Add(time.Second), base.Time)
	for _, other := range []events.Event{build("s2", "m", "text"), build("s", "m2", "text"), build("s", "m", "text2")} {
		require.NotEqual(t, base.ID, other.ID)
	}
}

// A subagent's events keep to its root's partition and name its parent (SW-1, EV-4).
func TestSubagents(t *testing.T) {
	a := New("test", "root", Options{})
	a.Main().Begin("m", time.Time{})
	a.Main().Text("start")
	sub := a.Sub(a.Main(), "x/1")
	deep := a.Sub(sub, "y")
	for _, s := range []*Session{deep, sub} {
		s.Begin("m", time.Time{})
		s.Text("work")
	}
	require.Same(t, sub, a.Known(a.Main(), "x/1"))
	a.End(false)
	all := take(a)
	for _, e := range all {
		require.Equal(t, "root", e.Group())
		if turn, ok := e.Data.(*sessionevents.Turn); ok && turn.Session != "root" {
			require.Equal(t, "root", turn.Run)
		}
	}
	opened := map[string]string{}
	for _, e := range all {
		if o, ok := e.Data.(*sessionevents.SessionOpened); ok {
			if o.Agent.ParentSession != "" {
				require.Contains(t, opened, o.Agent.ParentSession, "the parent is opened first")
			}
			opened[o.Session] = o.Agent.ParentSession
		}
	}
	require.Len(t, opened, 3)
	require.Equal(t, sub.ID(), opened[deep.ID()])
	require.Equal(t, "session.closed", string(all[len(all)-1].Type))
	require.Equal(t, "root", all[len(all)-1].Subject, "subagents are closed before their parent")
}

// What a session holds is bounded, and what is left out is said (EV-3).
func TestBounds(t *testing.T) {
	a := New("test", "s", Options{})
	s := a.Main()
	for range 10 {
		s.User(strings.Repeat("u", 1<<20), time.Time{})
	}
	require.Equal(t, 6, a.Problems.Total)
	s.Begin("m", time.Time{})
	for n := range 4 {
		s.Add(sessionevents.Block{Type: sessionevents.BlockToolResult, ID: fmt.Sprint(n), Output: strings.Repeat("o", 12<<20)})
	}
	s.Flush()
	got := turns(take(a))[0].Blocks
	require.Len(t, got, 4+4)
	require.Contains(t, got[7].Output, "12582912 bytes left out, sha256 ")

	for n := range maxSessions + 50 {
		sub := a.Sub(s, fmt.Sprint(n))
		sub.Begin("m", time.Time{})
		sub.Text("x")
	}
	require.Len(t, a.sessions, maxSessions)
	closed := 0
	for _, e := range take(a) {
		if c, ok := e.Data.(*sessionevents.SessionClosed); ok {
			require.Equal(t, "evicted", c.Reason)
			closed++
		}
	}
	require.Equal(t, 51, closed)
}

// Invalid UTF-8 is replaced wherever text comes in (EV-3).
func TestUTF8(t *testing.T) {
	a := New("test", "s", Options{})
	s := a.Main()
	s.User("a\xff", time.Time{})
	s.Add(sessionevents.Block{Type: sessionevents.BlockToolCall, Input: []byte("\"\xfe\""), Output: "\xfd", Text: "\xfc"})
	a.End(false)
	for _, e := range take(a) {
		require.NoError(t, events.Validate(e, events.Limits{}))
	}
}

// A file of metadata opens its session and nothing more; one that names none
// leaves no trace.
func TestMetadata(t *testing.T) {
	a := New("test", "s", Options{})
	a.Main().SetWorkspace("/w")
	a.End(true)
	require.Empty(t, take(a))
	a = New("test", "s", Options{})
	a.Main().Name("known")
	a.End(true)
	all := take(a)
	require.Len(t, all, 1)
	require.Equal(t, "known", all[0].Subject)
}

// An edit before any file is open names none: the call stays, the patch goes, and
// the turn is valid (EV-3).
func TestPatchOfNoFile(t *testing.T) {
	a := New("test", "fallback", Options{})
	s := a.Main()
	s.Begin("m1", time.Time{})
	s.Add(sessionevents.Block{Type: sessionevents.BlockToolResult, ID: "edit", Patch: []sessionevents.FilePatch{{Op: sessionevents.DiffUpdate}, {Path: "a.go", Op: sessionevents.DiffUpdate}}})
	a.End(false)
	all := take(a)
	for _, e := range all {
		require.NoError(t, events.Validate(e, events.Limits{}))
	}
	require.Equal(t, []sessionevents.FilePatch{{Path: "a.go", Op: sessionevents.DiffUpdate}}, turns(all)[0].Blocks[0].Patch)
}
