package relay_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// patient is a world whose agent can wait.
type patient struct {
	*world
	refuse error
}

func (p patient) Pause(_ context.Context, session string) error {
	p.write("pause " + session)
	return p.refuse
}

func (p patient) Resume(_ context.Context, session string) error {
	p.write("resume " + session)
	return nil
}

func (w *world) count(prefix string) int {
	return len(slices.DeleteFunc(w.lines(), func(line string) bool { return !strings.HasPrefix(line, prefix) }))
}

// RW-33: a paused session waits in the middle of its task, once however many
// turns it still tells, and goes on when a person resumed it.
func TestPause(t *testing.T) {
	w := start(t)
	end := w.driveAs(t.Context(), patient{world: w})
	w.set(runevents.ControlPaused, "a system shadow")
	w.act <- turn("s1")
	w.act <- turn("s1")
	w.saw("pause s1", "note pausing s1: a system shadow")
	w.interrupts <- fired("i1", "s1", 9)
	require.Zero(t, w.count("say"), "who is paused hears nothing")
	w.decide("s1", runevents.ControlRunning, "")
	w.saw("resume s1", "note s1 goes on", "i1 emitted")
	require.Equal(t, 1, w.count("pause"))
	require.Equal(t, 1, w.count("say i1"))
	require.Zero(t, w.count("halt"))
	w.decide("s1", runevents.ControlPaused, "again")
	w.saw("note pausing s1: again")
	w.decide("s1", runevents.ControlHalted, "a person said so")
	w.saw("halt s1: a person said so")
	require.NoError(t, end())
	require.Equal(t, 1, w.count("resume"), "its halt wakes it up")
}

// A paused run that drains afterwards goes on to the end of its task.
func TestPauseThenDrain(t *testing.T) {
	w := start(t)
	end := w.driveAs(t.Context(), patient{world: w})
	w.set(runevents.ControlPaused, "wait")
	w.act <- turn("s1")
	w.saw("note pausing s1")
	w.decide("", runevents.ControlDraining, "stop soon")
	w.saw("resume s1")
	require.Eventually(t, func() bool {
		w.act <- idle("s1")
		return w.count("halt s1: stop soon") > 0
	}, time.Minute, time.Millisecond)
	require.NoError(t, end())
}

// Who cannot wait is halted.
func TestPauseOfWhoCannotWait(t *testing.T) {
	for _, can := range []bool{false, true} {
		w := start(t)
		var d drive.Driver = w
		if can {
			d = patient{world: w, refuse: drive.ErrUnsupported}
		}
		end := w.driveAs(t.Context(), d)
		w.set(runevents.ControlPaused, "wait")
		w.act <- turn("s1")
		w.saw("halt s1: wait")
		require.NoError(t, end())
	}
}

// A decision about a session is not one about the others of its run.
func TestADecisionAboutASession(t *testing.T) {
	w := start(t)
	w.set(runevents.ControlRunning, "")
	end := w.drive(t.Context())
	w.act <- turn("s1")
	w.act <- turn("s2")
	w.saw("turn.raw s1", "turn.raw s2") // both are known
	w.decide("s2", runevents.ControlHalted, "stuck")
	w.saw("halt s2: stuck")
	require.Zero(t, w.count("halt s1"))
	w.decide("", runevents.ControlHalted, "three failures")
	w.saw("halt s1: three failures", "halt s2: three failures")
	require.NoError(t, end())
}
