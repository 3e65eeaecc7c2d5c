package claudecode

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	driver "github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive/drivetest"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// driven is an agent under way.
type driven struct {
	*Driver
	sink   *drivetest.Recorder
	out    bytes.Buffer // read it after wait
	result chan error
}

func start(t *testing.T, ctx context.Context, script string, linger time.Duration) *driven {
	t.Helper()
	d := &driven{sink: &drivetest.Recorder{}, result: make(chan error, 1)}
	var err error
	d.Driver, err = New(drive.Options{
		Command: []string{os.Args[0]}, Env: append(os.Environ(), "FAKE_CLAUDE="+script), Prompt: "list the shops",
		Run: "r1", Linger: linger, Output: &d.out,
	})
	require.NoError(t, err)
	go func() { d.result <- d.Run(ctx, d.sink) }()
	return d
}

func (d *driven) wait(t *testing.T) (drivetest.Seen, error) {
	t.Helper()
	select {
	case err := <-d.result:
		return d.sink.Seen(), err
	case <-time.After(30 * time.Second):
		t.Fatalf("the driver did not end; seen:\n%s", d.sink.Seen())
		return drivetest.Seen{}, nil
	}
}

const session = "5a1e-0001"

// TestTask makes turns of a task, with tokens of each response and the cost with
// the last one, and closes the session.
func TestTask(t *testing.T) {
	d := start(t, t.Context(), "task", time.Millisecond)
	seen, err := d.wait(t)
	require.NoError(t, err)
	require.Equal(t, []string{
		session + " | user list the shops | text looking | call Bash | result shop.go",
		session + " | text done",
	}, drivetest.Outlines(seen.Turns))
	require.Equal(t, &sessionevents.Usage{InputTokens: 10, OutputTokens: 7}, seen.Turns[0].Usage)
	require.Equal(t, &sessionevents.Usage{InputTokens: 10, OutputTokens: 7, CostUSD: 0.5}, seen.Turns[1].Usage)
	require.Equal(t, "tool_use", seen.Turns[0].StopReason)
	require.Equal(t, "r1", seen.Turns[0].Run)
	require.Equal(t, []*sessionevents.SessionClosed{{Session: session, Reason: "completed"}}, seen.Closed)
	require.Equal(t, "looking\ndone\n", d.out.String())
	require.Equal(t, []string{session}, seen.Idle)
	require.Empty(t, seen.Notes)
}

// TestSayBetweenTwoRequests says something while a tool runs: the agent takes it
// up before its next request, and it is no part of what the person said.
func TestSayBetweenTwoRequests(t *testing.T) {
	d := start(t, t.Context(), "steered", time.Millisecond)
	d.begun(t)
	require.ErrorIs(t, d.Say(t.Context(), driver.Message{ID: "i1", Session: "another"}), driver.ErrUnsupported)
	require.NoError(
		t,
		d.Say(t.Context(), driver.Message{ID: "i1", Session: session, Text: "a note", Priority: driver.Now}),
	)
	seen, err := d.wait(t)
	require.NoError(t, err)
	require.Contains(t, seen.Delivered, "i1")
	require.Len(t, seen.Turns, 2)
	for _, turn := range drivetest.Outlines(seen.Turns) {
		require.NotContains(t, turn, "a note")
	}
	require.ErrorIs(
		t,
		d.Say(t.Context(), driver.Message{ID: "i2", Session: session, Text: "late"}),
		driver.ErrUnsupported,
	)
}

// TestSayToAnIdleAgent makes it go on.
func TestSayToAnIdleAgent(t *testing.T) {
	d := start(t, t.Context(), "task", 300*time.Millisecond)
	d.sink.Wait(t, "idle", func(s drivetest.Seen) bool { return len(s.Idle) > 0 })
	require.NoError(
		t,
		d.Say(t.Context(), driver.Message{ID: "i1", Session: session, Text: "a note", Priority: driver.Next}),
	)
	seen, err := d.wait(t)
	require.NoError(t, err)
	require.Equal(t, []string{session, session}, seen.Idle)
	require.Equal(t, session+" | text removed it", drivetest.Outline(seen.Turns[2]))
	require.InDelta(t, 0.25, seen.Turns[2].Usage.CostUSD, 1e-9)
}

// TestPause freezes the agent in the middle of its tool and halts it there: who is
// paused hears that too.
func TestPause(t *testing.T) {
	d := start(t, t.Context(), "steered", time.Minute)
	d.begun(t)
	require.ErrorIs(t, d.Pause(t.Context(), "another"), driver.ErrUnsupported)
	require.ErrorIs(t, d.Resume(t.Context(), "another"), driver.ErrUnsupported)
	require.NoError(t, d.Pause(t.Context(), session))
	require.NoError(t, d.Resume(t.Context(), session))
	require.NoError(t, d.Pause(t.Context(), session))
	require.NoError(t, d.Halt(t.Context(), session, "three failures"))
	require.ErrorIs(t, d.Pause(t.Context(), session), driver.ErrUnsupported)
	_, err := d.wait(t)
	require.ErrorContains(t, err, "three failures")
}

// TestPauseOfAnIdleAgent keeps an agent whose task is done until it may go on.
func TestPauseOfAnIdleAgent(t *testing.T) {
	d := start(t, t.Context(), "task", 100*time.Millisecond)
	d.sink.Wait(t, "idle", func(s drivetest.Seen) bool { return len(s.Idle) > 0 })
	require.NoError(t, d.Pause(t.Context(), session))
	require.NoError(
		t,
		d.Say(t.Context(), driver.Message{ID: "i1", Session: session, Text: "a note", Priority: driver.Next}),
	)
	require.NoError(t, d.Resume(t.Context(), session))
	seen, err := d.wait(t)
	require.NoError(t, err)
	require.Contains(t, drivetest.Outline(seen.Turns[len(seen.Turns)-1]), "removed it")
}

// TestHalt stops a tool that runs; it is told as a halt (facts: a halted run
// looks like any other).
func TestHalt(t *testing.T) {
	d := start(t, t.Context(), "steered", time.Minute)
	d.begun(t)
	require.ErrorIs(t, d.Halt(t.Context(), "another", "no"), driver.ErrUnsupported)
	require.NoError(t, d.Halt(t.Context(), session, "three failures"))
	require.NoError(t, d.Halt(t.Context(), session, "again"))
	require.ErrorIs(t, d.Say(t.Context(), driver.Message{Session: session}), driver.ErrUnsupported)
	seen, err := d.wait(t)
	var halted *driver.HaltedError
	require.ErrorAs(t, err, &halted)
	require.Equal(t, "three failures", halted.Reason)
	require.Equal(t, []*sessionevents.SessionClosed{{Session: session, Reason: "halted"}}, seen.Closed)
	require.Len(t, seen.Turns, 1)
	require.Len(t, seen.Idle, 2, "it was interrupted again when it went on")
	require.Equal(t, "tool_use", seen.Turns[0].StopReason, "a halt is no failure")
}

// TestDeadAgent keeps what was said before it died.
func TestDeadAgent(t *testing.T) {
	d := start(t, t.Context(), "dies", time.Minute)
	seen, err := d.wait(t)
	require.ErrorContains(t, err, "ended with exit status 3")
	require.Equal(
		t,
		[]string{session + " | user list the shops | text looking | call Bash"},
		drivetest.Outlines(seen.Turns),
	)
	require.Len(t, seen.Closed, 1)
	require.Equal(t, "crashed", seen.Turns[0].StopReason)

	d = start(t, t.Context(), "broken", time.Minute)
	seen, err = d.wait(t)
	require.ErrorContains(t, err, "ended before its session began")
	require.Contains(t, seen.Notes[0], "could not be read")

	missing, err := New(drive.Options{Command: []string{"no-such-agent"}, Prompt: "x"})
	require.NoError(t, err)
	require.ErrorContains(t, missing.Run(t.Context(), &drivetest.Recorder{}), "start no-such-agent")
}

// RW-35: a task that ends by an error is a failed turn, behind the turn that was
// whole before it.
func TestFailedTurns(t *testing.T) {
	for script, reason := range map[string]string{"fails": "api_error", "errs": "error_during_execution"} {
		seen, err := start(t, t.Context(), script, time.Millisecond).wait(t)
		require.Error(t, err)
		require.Len(t, seen.Turns, 2)
		require.Equal(t, "tool_use", seen.Turns[0].StopReason)
		require.Equal(t, reason, seen.Turns[1].StopReason)
		require.Empty(t, seen.Turns[1].Blocks, "the harness's words are nobody's")
	}
}

// TestCancelled ends an agent that neither reads nor speaks.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := start(t, ctx, "silent", time.Minute)
	cancel()
	_, err := d.wait(t)
	require.NoError(t, err)
}

func TestFlags(t *testing.T) {
	needed := []string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--replay-user-messages", "--include-partial-messages"}
	got, err := withFlags([]string{"claude"})
	require.NoError(t, err)
	require.Equal(t, append([]string{"claude"}, needed...), got)
	got, err = withFlags([]string{"claude", "--print", "--verbose", "--output-format=stream-json", "--model", "x"})
	require.NoError(t, err)
	require.Equal(t, []string{"claude", "--print", "--verbose", "--output-format=stream-json", "--model", "x", "--input-format", "stream-json", "--replay-user-messages", "--include-partial-messages"}, got)
	_, err = withFlags([]string{"claude", "--output-format", "json"})
	require.ErrorContains(t, err, "needs stream-json")
	_, err = New(drive.Options{Prompt: "x"})
	require.ErrorContains(t, err, "no command")
	_, err = New(drive.Options{Command: []string{"claude"}})
	require.ErrorContains(t, err, "needs a prompt")
}

// begun waits for the session's first line, before which nothing can be said.
func (d *driven) begun(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return d.sessionID() == session }, time.Minute, time.Millisecond)
}

func (d *Driver) sessionID() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.session
}
