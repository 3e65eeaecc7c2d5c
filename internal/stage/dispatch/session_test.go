package dispatch

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// judged is one session whose turns are judged.
type judged struct {
	t       *testing.T
	machine *Machine
	state   *State
	turn    int
}

func newJudged(t *testing.T) *judged {
	m, err := New(rules.Default())
	require.NoError(t, err)
	j := &judged{t: t, machine: m, state: m.New("s")}
	j.state.Sessions.Sessions["s"] = &budget.Session{ID: "s"}
	return j
}

func (j *judged) session() *budget.Session { return j.state.Sessions.Sessions["s"] }

// after judges the next turn and returns what was wished, "" for nothing.
func (j *judged) after(observed *sessionevents.Observations) string {
	j.turn++
	v := run.NewContext(step.Input{Event: events.Event{ID: "e", Type: sessionevents.TypeTurnEvaluated, Data: &sessionevents.TurnEvaluated{Session: "s", Turn: j.turn, Observed: observed}}})
	j.machine.judgeSession(j.state, v)
	var out []string
	for _, c := range v.Conclusions() {
		b := c.Data.(*runevents.WiggumBreak)
		require.Equal(j.t, runevents.ScopeSession, b.Scope)
		require.NotEmpty(j.t, b.Evidence)
		out = append(out, string(b.Kind)+" "+string(b.Trigger))
	}
	return strings.Join(out, ", ")
}

func (j *judged) streak(length, said int) {
	j.session().Streaks = []budget.Streak{{Detector: "C4", Subject: "make", Length: length, Said: said, Told: said}}
}

// C4, DP-23: eight fresh repeats after an interrupt about them, once; of what nothing was said
// there is no break, however long it is.
func TestStuckLoop(t *testing.T) {
	j := newJudged(t)
	j.streak(70, 0)
	require.Empty(t, j.after(nil), "nothing was said of it")
	j.session().Streaks = []budget.Streak{{Detector: "C4", Subject: "make", Length: 70, Said: 5}}
	require.Empty(t, j.after(nil), "nobody received what was said (JD-43)")
	j.streak(12, 5)
	require.Empty(t, j.after(nil), "seven since it was last spoken of")
	j.streak(13, 5)
	require.Equal(t, "soft stuck_loop", j.after(nil))
	j.streak(14, 5)
	require.Empty(t, j.after(nil), "the same repeats once")
	j.streak(21, 5)
	require.Equal(t, "soft stuck_loop", j.after(nil), "eight more")
	j.streak(3, 0)
	require.Empty(t, j.after(nil), "another repeat of the same")
	j.streak(9, 1)
	require.Equal(t, "soft stuck_loop", j.after(nil))
	j.session().Run = "run"
	j.streak(17, 1)
	require.Equal(t, "soft stuck_loop", j.after(nil), "of a session in a run as well")
	j.session().Streaks = []budget.Streak{{Detector: "C1", Subject: "x", Length: 30}}
	require.Empty(t, j.after(nil))
}

// RW-35: three fires of one detector after interrupts that were ignored.
func TestIgnoredInterrupts(t *testing.T) {
	j := newJudged(t)
	again := func(n int) string {
		j.session().Disregards = []budget.Disregard{{Detector: "A1", Ignored: 1, Again: 1}, {Detector: "B1", Ignored: 2, Again: n}}
		return j.after(nil)
	}
	require.Empty(t, again(2))
	require.Equal(t, "soft ignored_interrupts", again(3))
	require.Empty(t, again(4))
	require.Equal(t, "soft ignored_interrupts", again(6))
	require.Empty(t, again(1), "heeded in between: the count began anew")
	j.session().Run = "run"
	require.Empty(t, again(9), "a session of a run is the run's to break")
}

// RW-35: three failed turns in a row of a headless agent.
func TestFailedTurns(t *testing.T) {
	j := newJudged(t)
	failed := func(reason string, person int) string {
		return j.after(&sessionevents.Observations{StopReason: reason, Segments: map[sessionevents.SegmentKind]int{sessionevents.SegmentUser: person}})
	}
	require.Empty(t, failed("API-Error", 1))
	require.Empty(t, failed("timeout", 0))
	require.Equal(t, "hard agent_failures", failed("crash", 0))
	require.Empty(t, failed("error", 0), "counted anew")
	require.Empty(t, failed("error", 0))
	require.Empty(t, failed("end_turn", 0), "a success")
	require.Empty(t, failed("error", 0))
	require.Empty(t, failed("error", 0))
	require.Empty(t, failed("error", 1), "a person is there")
	require.Empty(t, failed("error", 0))
	require.Equal(t, "hard agent_failures", failed("error", 0))
	require.Empty(t, failed("max_tokens", 0))
	j.session().Run = "run"
	for range 5 {
		require.Empty(t, failed("error", 0))
	}
}

// A turn that comes again is not counted again; sessions that the dispatcher
// forgot are forgotten.
func TestJudgedOnceAndBounded(t *testing.T) {
	j := newJudged(t)
	for range 5 {
		j.turn = 0
		require.Empty(t, j.after(&sessionevents.Observations{StopReason: "error"}))
	}
	j.machine.config.Kept.Sessions = 1
	j.state.Layers.Watched["gone"] = Watched{Turn: 3}
	j.after(nil)
	require.NotContains(t, j.state.Layers.Watched, "gone")
	require.Contains(t, j.state.Layers.Watched, "s")
}

// A snapshot changes nothing, and what it held counts.
func TestSnapshots(t *testing.T) {
	j := newJudged(t)
	before := j.machine.Size(j.state)
	for range 40 {
		j.streak(9, 0)
		j.after(&sessionevents.Observations{StopReason: "error"})
	}
	data, err := j.machine.Encode(j.state)
	require.NoError(t, err)
	require.Greater(t, j.machine.Size(j.state), before)
	again, err := j.machine.Decode(data)
	require.NoError(t, err)
	require.Equal(t, j.machine.Size(j.state), j.machine.Size(again))
	second, err := j.machine.Encode(again)
	require.NoError(t, err)
	require.Equal(t, string(data), string(second))
	for _, broken := range []string{"", "{", `{"sessions":{}}`, `{"sessions":1,"layers":{}}`, `{"sessions":{},"layers":{"run":1}}`} {
		_, err := j.machine.Decode([]byte(broken))
		require.Error(t, err, broken)
	}
}
