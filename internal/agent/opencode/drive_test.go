package opencode

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive/drivetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// join drives the server and waits until it is listened to.
func join(t *testing.T, f *fakeServer, address string) (*Driver, *drivetest.Recorder) {
	t.Helper()
	d, err := New(drive.Options{URL: address, Run: "r1"})
	require.NoError(t, err)
	sink := &drivetest.Recorder{}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx, sink) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	require.Eventually(t, f.listening, time.Minute, time.Millisecond)
	return d, sink
}

func turns(n int) func(drivetest.Seen) bool {
	return func(s drivetest.Seen) bool { return len(s.Turns) >= n }
}

func note(id, text string, p drive.Priority) drive.Message {
	return drive.Message{ID: id, Session: "ses_main", Text: text, Priority: p}
}

// TestTurns makes a turn of each message of the model, with what was asked
// before, tokens and cost; a child names its parent.
func TestTurns(t *testing.T) {
	f := newServer(t)
	_, sink := join(t, f, f.URL)
	f.asked("ses_main", "list the shops")
	f.answered("ses_main", "looking", "bash")
	seen := sink.Wait(t, "a turn", turns(1))
	require.Equal(t, "ses_main | user list the shops | text looking | call bash | result shop.go", drivetest.Outline(seen.Turns[0]))
	require.InDelta(t, 0.5, seen.Turns[0].Usage.CostUSD, 1e-9)
	require.Equal(t, int64(7), seen.Turns[0].Usage.OutputTokens)
	require.Equal(t, "/src/shop", seen.Opened[0].Workspace)
	require.Equal(t, "r1", seen.Turns[0].Run)

	f.asked("ses_child", "look closer")
	f.answered("ses_child", "closer", "")
	f.broken("ses_main")
	f.answered("ses_main", "done", "")
	f.status("ses_main", "idle")
	seen = sink.Wait(t, "the end", func(s drivetest.Seen) bool { return len(s.Turns) >= 4 && len(s.Idle) > 0 })
	require.Equal(t, []string{"ses_child | user look closer | text closer", "ses_main | text half", "ses_main | text done"}, drivetest.Outlines(seen.Turns[1:]))
	require.Equal(t, "ses_main", seen.Opened[1].Agent.ParentSession)
	require.Equal(t, []string{"ses_main"}, seen.Idle)

	f.tell("session.deleted", members{"sessionID": "ses_main", "info": members{"id": "ses_main"}})
	seen = sink.Wait(t, "the session closed", func(s drivetest.Seen) bool { return len(s.Closed) > 0 })
	require.Equal(t, "deleted", seen.Closed[0].Reason)
}

// TestSay adds a message without a reply while the agent works, keeps agent and
// model, and wakes an idle one only for what must not wait.
func TestSay(t *testing.T) {
	f := newServer(t)
	d, sink := join(t, f, f.URL)
	require.ErrorIs(t, d.Say(t.Context(), note("i0", "x", drive.Now)), drive.ErrUnsupported)
	f.asked("ses_main", "list the shops")
	f.answered("ses_main", "looking", "bash")
	sink.Wait(t, "a turn", turns(1))
	require.NoError(t, d.Say(t.Context(), note("i1", "a note", drive.Now)))
	f.answered("ses_main", "removed it", "")
	seen := sink.Wait(t, "the answer", turns(2))
	require.Equal(t, []string{"i1"}, seen.Delivered)
	require.Equal(t, "ses_main | text removed it", drivetest.Outline(seen.Turns[1]))

	f.status("ses_main", "idle")
	sink.Wait(t, "idle", func(s drivetest.Seen) bool { return len(s.Idle) > 0 })
	require.NoError(t, d.Say(t.Context(), note("i2", "when you go on", drive.Next)))
	require.NoError(t, d.Say(t.Context(), note("i3", "at once", drive.Now)))
	require.Equal(t, []bool{true, true, false}, []bool{f.prompts[0].NoReply, f.prompts[1].NoReply, f.prompts[2].NoReply})
	require.Equal(t, "plan", f.prompts[0].Agent)
	require.JSONEq(t, `{"providerID":"mock","modelID":"mock-1"}`, string(f.prompts[0].Model))
}

// TestHaltSticks aborts, and again when someone makes the session go on.
func TestHaltSticks(t *testing.T) {
	f := newServer(t)
	d, sink := join(t, f, f.URL)
	f.answered("ses_main", "looking", "bash")
	sink.Wait(t, "a turn", turns(1))
	require.NoError(t, d.Halt(t.Context(), "ses_main", "three failures"))
	f.status("ses_main", "idle")
	f.status("ses_main", "busy")
	require.Eventually(t, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.aborted == 2
	}, time.Minute, time.Millisecond)
	require.ErrorIs(t, d.Halt(t.Context(), "ses_other", "x"), drive.ErrUnsupported)
}

// TestReconnection loses nothing of what happened while the server was away, and
// does not read everything again.
func TestReconnection(t *testing.T) {
	f := newServer(t)
	d, sink := join(t, f, f.URL)
	for range 25 {
		f.answered("ses_main", "looking", "bash")
	}
	sink.Wait(t, "the turns before", turns(25))
	f.mu.Lock()
	f.refuse = true
	f.mu.Unlock()
	f.cut()
	sink.Wait(t, "away", func(s drivetest.Seen) bool {
		return slices.ContainsFunc(s.Notes, func(n string) bool { return strings.Contains(n, "is away, waiting for it") })
	})
	require.ErrorIs(t, d.Say(t.Context(), note("i1", "x", drive.Now)), drive.ErrAway)
	f.answered("ses_main", "meanwhile", "bash")
	f.mu.Lock()
	f.refuse = false
	f.calls = nil
	f.mu.Unlock()
	seen := sink.Wait(t, "the turn meanwhile", turns(26))
	require.Contains(t, seen.Notes, "OpenCode is back")
	f.mu.Lock()
	require.Equal(t, []string{"limit=20"}, f.calls)
	f.mu.Unlock()

	for range 30 { // more than one short list holds, told by one event
		f.broken("ses_main")
	}
	f.answered("ses_main", "after", "bash")
	seen = sink.Wait(t, "all of them", turns(57))
	require.Len(t, seen.Turns, 57)
}

func TestAddresses(t *testing.T) {
	for _, wrong := range []string{"", "localhost:4096", "ftp://x", "http://%zz"} {
		_, err := New(drive.Options{URL: wrong})
		require.Error(t, err, wrong)
	}
	f := newServer(t)
	d, _ := join(t, f, "http://someone:hidden@"+f.Listener.Addr().String()+"/?directory=/src/shop")
	require.NotContains(t, d.client.Address(), "hidden")
	f.mu.Lock()
	defer f.mu.Unlock()
	require.Equal(t, "someone", f.user)
}

// TestForget holds a bounded number of sessions, and those at work or halted
// whatever their number.
func TestForget(t *testing.T) {
	d := &Driver{sessions: map[string]*session{}}
	for i := range maxSessions {
		d.sessions[strconv.Itoa(i)] = &session{busy: true}
	}
	d.forget()
	require.Len(t, d.sessions, maxSessions)
	d.sessions["3"], d.sessions["2"], d.sessions["1"] = &session{used: 3}, &session{used: 2}, &session{halted: "three failures"}
	d.forget()
	require.NotContains(t, d.sessions, "2")
	require.Len(t, d.sessions, maxSessions-1)
}
