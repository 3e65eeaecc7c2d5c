package codex

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
		Command: []string{os.Args[0]}, Env: append(os.Environ(), "FAKE_CODEX="+script), Prompt: "list the shops",
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

// atWork waits until a turn of the thread runs.
func (d *driven) atWork(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.threads[threadID] != nil && d.threads[threadID].turn != ""
	}, time.Minute, time.Millisecond)
}

// TestTask makes turns of a task, one for each response of the model, with its
// plan, command and patch, and closes the session.
func TestTask(t *testing.T) {
	d := start(t, t.Context(), "task", time.Millisecond)
	seen, err := d.wait(t)
	require.NoError(t, err)
	when := d.sink.Seen().Times[1]
	require.Equal(t, []string{
		threadID + " | user list the shops | call update_plan | call exec_command | result Plan updated | result shop.go",
		threadID + " | thinking one file is enough | call apply_patch | result",
		threadID + " | text done",
	}, trimmed(seen))
	require.Equal(t, &sessionevents.Usage{InputTokens: 100, CacheRead: 40, OutputTokens: 7}, seen.Turns[0].Usage)
	require.Equal(t, 0, *seen.Turns[0].Blocks[4].ExitCode)
	require.Equal(t, "end_turn", seen.Turns[2].StopReason)
	require.Equal(t, "/src/shop", seen.Opened[0].Workspace)
	require.Equal(t, "mock-1", seen.Opened[0].Agent.Model)
	require.Equal(t, "r1", seen.Turns[0].Run)
	require.WithinDuration(t, time.Now(), when, time.Minute, "as told, or now")

	patch := seen.Turns[1].Blocks[1]
	require.JSONEq(t, `{"input":"*** Begin Patch\n*** Add File: shops.go\n+package shops\n+\n+var All []string\n*** Update File: main.go\n@@ -3,1 +3,2 @@\n func main() {\n+\tlist()\n*** End Patch"}`, string(patch.Input))
	applied := seen.Turns[1].Blocks[2].Patch
	require.Len(t, applied, 2)
	require.Equal(t, "main.go", applied[0].Path)
	require.Equal(t, 3, applied[0].Hunks[0].NewStart)
	require.Equal(t, []*sessionevents.SessionClosed{{Session: threadID, Reason: "completed"}}, seen.Closed)
	require.Equal(t, "done\n", d.out.String())
	require.Empty(t, seen.Notes)
}

func trimmed(s drivetest.Seen) []string {
	list := drivetest.Outlines(s.Turns)
	for i := range list {
		list[i] = string(bytes.TrimRight([]byte(list[i]), " "))
	}
	return list
}

// TestSteer says something while a tool runs: it lands behind the tool, and is
// no part of what the person said.
func TestSteer(t *testing.T) {
	d := start(t, t.Context(), "steered", time.Millisecond)
	d.atWork(t)
	require.ErrorIs(t, d.Say(t.Context(), driver.Message{ID: "i1", Session: "another"}), driver.ErrUnsupported)
	require.NoError(
		t,
		d.Say(t.Context(), driver.Message{ID: "i1", Session: threadID, Text: "a note", Priority: driver.Now}),
	)
	seen, err := d.wait(t)
	require.NoError(t, err)
	require.Contains(t, seen.Delivered, "i1")
	require.Len(t, seen.Turns, 3)
	for _, turn := range drivetest.Outlines(seen.Turns) {
		require.NotContains(t, turn, "a note")
	}
	require.ErrorIs(
		t,
		d.Say(t.Context(), driver.Message{ID: "i2", Session: threadID, Text: "late"}),
		driver.ErrUnsupported,
	)
}

// TestSayToAnIdleAgent begins a turn.
func TestSayToAnIdleAgent(t *testing.T) {
	d := start(t, t.Context(), "task", 300*time.Millisecond)
	d.sink.Wait(t, "idle", func(s drivetest.Seen) bool { return len(s.Idle) > 0 })
	require.NoError(
		t,
		d.Say(t.Context(), driver.Message{ID: "i1", Session: threadID, Text: "a note", Priority: driver.Next}),
	)
	seen, err := d.wait(t)
	require.NoError(t, err)
	require.Equal(t, threadID+" | text removed it", drivetest.Outline(seen.Turns[3]))
	require.Equal(t, []string{threadID, threadID}, seen.Idle)
}

// TestPause freezes the agent in the middle of its tool and halts it there: who is
// paused hears that too.
func TestPause(t *testing.T) {
	d := start(t, t.Context(), "halted", time.Minute)
	d.atWork(t)
	require.ErrorIs(t, d.Pause(t.Context(), "another"), driver.ErrUnsupported)
	require.ErrorIs(t, d.Resume(t.Context(), "another"), driver.ErrUnsupported)
	require.NoError(t, d.Pause(t.Context(), threadID))
	require.NoError(t, d.Resume(t.Context(), threadID))
	require.NoError(t, d.Pause(t.Context(), threadID))
	require.NoError(t, d.Halt(t.Context(), threadID, "three failures"))
	require.ErrorIs(t, d.Pause(t.Context(), threadID), driver.ErrUnsupported)
	_, err := d.wait(t)
	require.ErrorContains(t, err, "three failures")
}

// TestPauseOfAnIdleAgent keeps an agent whose task is done until it may go on.
func TestPauseOfAnIdleAgent(t *testing.T) {
	d := start(t, t.Context(), "task", 100*time.Millisecond)
	d.sink.Wait(t, "idle", func(s drivetest.Seen) bool { return len(s.Idle) > 0 })
	require.NoError(t, d.Pause(t.Context(), threadID))
	require.NoError(t, d.Resume(t.Context(), threadID))
	require.NoError(
		t,
		d.Say(t.Context(), driver.Message{ID: "i1", Session: threadID, Text: "a note", Priority: driver.Next}),
	)
	seen, err := d.wait(t)
	require.NoError(t, err)
	require.Contains(t, drivetest.Outline(seen.Turns[len(seen.Turns)-1]), "removed it")
}

// TestHalt interrupts the turn and ends the process; it is told as a halt.
func TestHalt(t *testing.T) {
	d := start(t, t.Context(), "halted", time.Minute)
	d.atWork(t)
	require.ErrorIs(t, d.Halt(t.Context(), "another", "no"), driver.ErrUnsupported)
	require.NoError(t, d.Halt(t.Context(), threadID, "three failures"))
	require.NoError(t, d.Halt(t.Context(), threadID, "again"))
	seen, err := d.wait(t)
	var halted *driver.HaltedError
	require.ErrorAs(t, err, &halted)
	require.Equal(t, "three failures", halted.Reason)
	require.Equal(t, "halted", seen.Closed[0].Reason)
	require.Equal(t, "interrupted", seen.Turns[0].StopReason)
}

// TestUnattended declines what a person would be asked; a refusal is no error of
// the command (SW-3).
func TestUnattended(t *testing.T) {
	d := start(t, t.Context(), "asks", time.Millisecond)
	seen, err := d.wait(t)
	require.NoError(t, err)
	require.Contains(t, seen.Notes[0], "nobody is present to decide")
	require.True(t, seen.Turns[0].Blocks[4].Rejected)
}

// TestDeadAgent keeps what was said before it died.
func TestDeadAgent(t *testing.T) {
	d := start(t, t.Context(), "dies", time.Minute)
	seen, err := d.wait(t)
	require.ErrorContains(t, err, "ended with exit status 3")
	require.Equal(
		t,
		[]string{threadID + " | user list the shops | call update_plan | call exec_command | result Plan updated"},
		drivetest.Outlines(seen.Turns),
	)
	require.Len(t, seen.Closed, 1)
	require.Equal(t, "crashed", seen.Turns[0].StopReason)

	d = start(t, t.Context(), "refuses", time.Minute)
	_, err = d.wait(t)
	require.ErrorContains(t, err, "initialize: codex answered -32600: unexpected")
}

// RW-35: a turn of Codex that failed is a failed turn, behind the one that was
// whole before it.
func TestFailedTurn(t *testing.T) {
	seen, err := start(t, t.Context(), "fails", time.Millisecond).wait(t)
	require.ErrorContains(t, err, "stream disconnected")
	require.Len(t, seen.Turns, 2)
	require.NotEqual(t, "error", seen.Turns[0].StopReason)
	require.Equal(t, "error", seen.Turns[1].StopReason)
	require.Empty(t, seen.Turns[1].Blocks)
}

// TestCancelled ends an agent that neither reads nor speaks.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := start(t, ctx, "silent", time.Minute)
	cancel()
	_, err := d.wait(t)
	require.NoError(t, err)
}

func TestNew(t *testing.T) {
	_, err := New(drive.Options{Prompt: "x"})
	require.ErrorContains(t, err, "no command")
	_, err = New(drive.Options{Command: []string{"codex"}})
	require.ErrorContains(t, err, "needs a prompt")
	d, err := New(drive.Options{Command: []string{"codex", "-c", "model=x"}, Prompt: "x"})
	require.NoError(t, err)
	require.Equal(t, []string{"codex", "-c", "model=x", "app-server"}, d.options.Command)
}

// FuzzItem feeds items of any shape; nothing panics.
func FuzzItem(f *testing.F) {
	f.Add([]byte(`{"type":"fileChange","id":"a","changes":[{"path":"a","kind":"update","diff":"@@ -1 +1 @@\n-a\n+b"}],"status":"completed"}`))
	f.Add([]byte(`{"type":"commandExecution","id":1,"exitCode":"3","aggregatedOutput":null}`))
	f.Add([]byte(`{"type":"mcpToolCall","id":"m","server":"s","tool":"t","arguments":[1],"result":{"content":[{"type":"text","text":"x"}]},"error":{"message":"no"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &reader{driver: &Driver{threads: map[string]*thread{}}, sink: &drivetest.Recorder{}, byID: map[string]*thread{}}
		require.NoError(t, r.thread(&threadInfo{ID: "t"}))
		for _, method := range []string{"item/started", "item/completed"} {
			_ = r.message(context.Background(), []byte(`{"method":"`+method+`","params":{"threadId":"t","item":`+string(data)+`}}`))
		}
	})
}
