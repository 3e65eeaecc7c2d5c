package relay_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive/relay"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a system and an agent, played by the test.
type world struct {
	t          *testing.T
	interrupts chan client.Interrupt
	changes    chan client.ControlChange
	broken     chan error // ends one reading of interrupts
	from       []client.Start

	mu      sync.Mutex
	control runevents.Control
	own     map[string]runevents.Control // of sessions
	blind   error
	log     []string // what was published, said and halted, in order
	answers []error  // of Say and Halt, one after the other; then nil
	stuck   chan struct{}

	act chan func(drive.Sink) // what the agent does next
	end error
}

func start(t *testing.T) *world {
	t.Helper()
	w := &world{
		t: t, interrupts: make(chan client.Interrupt), changes: make(chan client.ControlChange), broken: make(chan error),
		act: make(chan func(drive.Sink)), control: runevents.Control{State: runevents.ControlUnknown},
	}
	return w
}

// drive runs the relay beside the test; the function it returns ends the agent.
func (w *world) drive(ctx context.Context) (end func() error) { return w.driveAs(ctx, w) }

// driveAs returns drive with a driver that can more.
func (w *world) driveAs(ctx context.Context, d drive.Driver) (end func() error) {
	joined := relay.Relay{
		Listen: w, Run: "r1", Note: func(text string) { w.write("note " + text) },
		Send: func(_ context.Context, e events.Event) error {
			w.mu.Lock()
			stuck := w.stuck
			w.mu.Unlock()
			if stuck != nil {
				<-stuck
			}
			w.write(fmt.Sprintf("%s %s", e.Type, e.Subject))
			if e.Subject == "refused" {
				return errors.New("too large")
			}
			return nil
		},
		Deliver: func(_ context.Context, run string, d sessionevents.InterruptDelivery) error {
			w.write(fmt.Sprintf("%s %s run=%s channel=%s by=%s", d.Interrupt, d.State, run, d.Channel, d.By))
			return nil
		},
	}
	ended := make(chan error, 1)
	go func() { ended <- joined.Drive(ctx, d) }()
	return func() error {
		close(w.act)
		return <-ended
	}
}

func (w *world) write(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, line)
}

func (w *world) lines() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log)
}

func (w *world) saw(parts ...string) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		return !slices.ContainsFunc(parts, func(part string) bool {
			return !slices.ContainsFunc(w.lines(), func(line string) bool { return strings.Contains(line, part) })
		})
	}, time.Minute, time.Millisecond, "%q in %q", parts, w.lines())
}

// Run, Say, Halt and Channel make it a Driver.
func (w *world) Run(_ context.Context, sink drive.Sink) error {
	for f := range w.act {
		f(sink)
	}
	return w.end
}

func (w *world) answer() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.answers) == 0 {
		return nil
	}
	err := w.answers[0]
	w.answers = w.answers[1:]
	return err
}

func (w *world) Say(_ context.Context, m drive.Message) error {
	w.write(fmt.Sprintf("say %s %s %s: %s", m.ID, m.Session, m.Priority, m.Text))
	return w.answer()
}

func (w *world) Halt(_ context.Context, session, reason string) error {
	w.write(fmt.Sprintf("halt %s: %s", session, reason))
	return w.answer()
}

func (w *world) Channel() string { return "drive:test" }

// End, Interrupts, ControlChanges and Control make it a Listener.
func (w *world) End(context.Context) (client.Start, error) { return client.Start{Sequence: 7}, nil }

func (w *world) Interrupts(ctx context.Context, f client.Filter, from client.Start) iter.Seq2[client.Interrupt, error] {
	w.mu.Lock()
	w.from = append(w.from, from)
	w.mu.Unlock()
	require.Equal(w.t, client.Filter{Run: "r1"}, f)
	return func(yield func(client.Interrupt, error) bool) {
		for {
			select {
			case i := <-w.interrupts:
				if !yield(i, nil) {
					return
				}
			case err := <-w.broken:
				yield(client.Interrupt{}, err)
				return
			case <-ctx.Done():
				return
			}
		}
	}
}

func (w *world) ControlChanges(ctx context.Context, f client.Filter, _ client.Start) iter.Seq2[client.ControlChange, error] {
	require.Equal(w.t, client.Filter{Run: "r1"}, f)
	return func(yield func(client.ControlChange, error) bool) {
		for {
			select {
			case c := <-w.changes:
				if !yield(c, nil) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// Control returns the state of the session, else that of all.
func (w *world) Control(_ context.Context, f client.Filter) (runevents.Control, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.blind != nil {
		return runevents.Control{State: runevents.ControlUnknown}, w.blind
	}
	if own, is := w.own[f.Session]; is {
		return own, nil
	}
	return w.control, nil
}

// decide changes the state of a session, or of run r1 and its sessions, and says so.
func (w *world) decide(session string, state runevents.ControlState, why string) {
	now, scope, subject := runevents.Control{State: state, Why: why}, runevents.ScopeSession, session
	w.mu.Lock()
	if session == "" {
		w.control, w.own, scope, subject = now, nil, runevents.ScopeRun, "r1"
	} else {
		if w.own == nil {
			w.own = map[string]runevents.Control{}
		}
		w.own[session] = now
	}
	w.mu.Unlock()
	w.say(scope, subject)
}

// say says that a control state changed.
func (w *world) say(scope runevents.Scope, subject string) {
	changed := &runevents.ControlChanged{Scope: scope}
	w.changes <- client.ControlChange{Event: events.Event{Subject: subject, Data: changed}, Changed: changed}
}

func (w *world) set(c runevents.ControlState, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.control = runevents.Control{State: c, Why: why}
}

func turn(session string) func(drive.Sink) {
	return func(s drive.Sink) {
		_ = s.Event(context.Background(), events.Event{Type: sessionevents.TypeTurnRaw, Subject: session, Data: &sessionevents.Turn{Session: session, Run: "r1"}})
	}
}

func delivered(id string) func(drive.Sink) {
	return func(s drive.Sink) { s.Delivered(context.Background(), id) }
}

func idle(session string) func(drive.Sink) {
	return func(s drive.Sink) { s.Idle(context.Background(), session) }
}

func fired(id, session string, sequence uint64) client.Interrupt {
	return client.Interrupt{Sequence: sequence, Fired: &sessionevents.InterruptFired{
		ID: id, Session: session, Headline: "⚡ HEAD", Message: "a note", Reason: "for people", HoldUntil: "immediate",
	}}
}

// TestInterrupt says an interrupt once and records what becomes of it, in order
// (DP-21); those of sessions that are not ours are left alone.
func TestInterrupt(t *testing.T) {
	w := start(t)
	end := w.drive(t.Context())
	w.act <- turn("s1")
	w.interrupts <- fired("i0", "another", 8)
	w.interrupts <- fired("i1", "s1", 9)
	w.saw("i1 emitted")
	w.interrupts <- fired("i1", "s1", 9)
	w.act <- delivered("i1")
	w.act <- delivered("i1")
	w.act <- delivered("unknown")
	w.act <- turn("s1")
	w.saw("i1 acked")
	w.act <- turn("s1")
	require.NoError(t, end())
	const who = " run=r1 channel=drive:test by=scaffoldwatch drive"
	var said, turns []string // turns are published beside what is said: their order to it is open
	for _, line := range w.lines() {
		if line == "turn.raw s1" {
			turns = append(turns, line)
		} else {
			said = append(said, line)
		}
	}
	require.Len(t, turns, 3)
	require.Equal(
		t,
		[]string{"say i1 s1 now: ⚡ HEAD\na note", "i1 emitted" + who, "i1 delivered" + who, "i1 acked" + who},
		said,
	)
}

// TestFailures records an agent that cannot be reached, tries one that is away
// again, and never says what may have arrived a second time (DP-21, DP-22).
func TestFailures(t *testing.T) {
	w := start(t)
	w.answers = []error{drive.ErrUnsupported}
	end := w.drive(t.Context())
	w.act <- turn("s1")
	w.interrupts <- fired("i1", "s1", 9)
	w.saw("i1 unsupported", "note interrupt i1 of s1 cannot be delivered")
	w.mu.Lock()
	w.answers = []error{fmt.Errorf("%w: refused", drive.ErrAway), nil, errors.New("no answer")}
	w.mu.Unlock()
	w.interrupts <- fired("i2", "s1", 10)
	w.saw("i2 emitted")
	w.interrupts <- fired("i3", "s1", 11)
	w.saw("i3 emitted", "note interrupt i3 of s1: no answer")
	old := fired("i4", "s1", 12)
	old.Fired.ExpiresTurn, old.Fired.HoldUntil = 1, "next_pause"
	w.act <- turn("s1")
	require.Eventually(t, func() bool { // the turn counts once it is told
		return len(slices.DeleteFunc(w.lines(), func(line string) bool { return line != "turn.raw s1" })) == 2
	}, time.Minute, time.Millisecond)
	w.interrupts <- old
	w.saw("i4 expired")
	require.NoError(t, end())
	said := slices.DeleteFunc(w.lines(), func(line string) bool { return !strings.HasPrefix(line, "say") })
	require.Len(t, said, 4, "i1, i2 twice, i3")
}

// TestListeningGoesOn resumes behind the last interrupt when reading fails.
func TestListeningGoesOn(t *testing.T) {
	w := start(t)
	end := w.drive(t.Context())
	w.act <- turn("s1")
	w.interrupts <- fired("i1", "s1", 41)
	w.broken <- errors.New("the broker is gone")
	w.interrupts <- fired("i2", "s1", 42)
	w.saw("i2 emitted", "note listening for interrupts failed, retrying: the broker is gone")
	require.NoError(t, end())
	require.Equal(t, []client.Start{{Sequence: 7}, {Sequence: 42}}, w.from)
}

// TestDecisions halts at once where that is decided, after the task where it drains,
// and all sessions of a run with it (RW-30, RW-31).
func TestDecisions(t *testing.T) {
	w := start(t)
	w.set(runevents.ControlRunning, "")
	end := w.drive(t.Context())
	w.act <- turn("s1")
	w.act <- turn("s2")
	w.decide("s1", runevents.ControlDraining, "stuck")
	w.say(runevents.ScopeRun, "another")
	w.say(runevents.ScopeSession, "nobody")
	w.act <- idle("s2")
	w.act <- idle("nobody")
	require.NotContains(t, strings.Join(w.lines(), "\n"), "halt")
	require.Eventually(t, func() bool {
		w.act <- idle("s1")
		return w.count("halt s1: stuck") > 0
	}, time.Minute, time.Millisecond)
	w.decide("", runevents.ControlHalted, "three failures")
	w.saw("halt s1: three failures", "halt s2: three failures", "note halting s2: three failures")
	require.NoError(t, end())
	require.Equal(t, 1, w.count("halt s2"))
}

// A state is obeyed once, however often it is said, until the session acts again;
// one that cannot be read is read again.
func TestAStateIsObeyedOnce(t *testing.T) {
	w := start(t)
	w.set(runevents.ControlRunning, "")
	end := w.drive(t.Context())
	w.act <- turn("s1")
	w.saw("turn.raw s1")
	w.mu.Lock()
	w.blind = errors.New("the broker starts")
	w.mu.Unlock()
	w.set(runevents.ControlHalted, "three failures")
	w.say(runevents.ScopeRun, "r1")
	w.saw("note the control state is unknown, continuing: the broker starts")
	require.Zero(t, w.count("halt"))
	w.mu.Lock()
	w.blind = nil
	w.mu.Unlock()
	w.saw("halt s1: three failures")
	for range 3 {
		w.say(runevents.ScopeRun, "r1")
	}
	w.set(runevents.ControlRunning, "")
	w.say(runevents.ScopeSession, "s1")
	require.NoError(t, end())
	require.Equal(t, 1, w.count("halt s1"))
}

// TestControl obeys the control state at each turn, halts who goes on, and lets
// go on who was resumed (EV-8, RW-33).
func TestControl(t *testing.T) {
	w := start(t)
	w.blind = errors.New("no bucket")
	end := w.drive(t.Context())
	w.act <- turn("s1")
	w.saw("note the control state is unknown, continuing: no bucket")
	w.mu.Lock()
	w.blind = nil
	w.mu.Unlock()
	w.set(runevents.ControlHalted, "a budget is spent")
	w.act <- turn("s1")
	w.saw("halt s1: a budget is spent")
	w.set(runevents.ControlUnknown, "")
	w.act <- turn("s1")
	halts := func() int {
		return len(slices.DeleteFunc(w.lines(), func(line string) bool { return !strings.HasPrefix(line, "halt ") }))
	}
	require.Eventually(t, func() bool { return halts() == 2 }, time.Minute, time.Millisecond)
	w.set(runevents.ControlRunning, "")
	w.act <- turn("s1")
	w.set(runevents.ControlDraining, "stop soon")
	w.act <- turn("s1")
	w.act <- idle("s1")
	require.Eventually(t, func() bool {
		w.act <- idle("s1")
		return slices.Contains(w.lines(), "halt s1: stop soon")
	}, time.Minute, time.Millisecond)
	require.NoError(t, end())
	// Who is idle again is halted again.
	require.Equal(t, 2, halts()-count(w.lines(), "halt s1: stop soon"))
}

func count(lines []string, line string) int {
	return len(slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return l != line }))
}

// TestSlowBroker lets the agent go on while publishing is stuck, publishes all
// in order when it is not, and notes what was refused.
func TestSlowBroker(t *testing.T) {
	w := start(t)
	w.stuck = make(chan struct{})
	end := w.drive(t.Context())
	for range 20 {
		w.act <- turn("s1")
	}
	w.act <- turn("refused")
	w.interrupts <- fired("i1", "s1", 8)
	w.saw("say i1 s1")
	close(w.stuck)
	w.end = errors.New("it failed")
	require.ErrorContains(t, end(), "it failed")
	require.Contains(t, w.lines(), "note turn.raw of refused was not published: too large")
	require.Equal(t, 20, len(slices.DeleteFunc(w.lines(), func(line string) bool { return line != "turn.raw s1" })))
}

// TestWhatCameBeforeTheEndCounts publishes what the agent tells after Ctrl-C,
// while there is room for it.
func TestWhatCameBeforeTheEndCounts(t *testing.T) {
	w := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := func(sink drive.Sink) {
		cancel()
		for range 40 {
			require.NoError(t, sink.Event(ctx, events.Event{Type: sessionevents.TypeTurnRaw, Subject: "s1", Data: &sessionevents.Turn{Session: "s1", Run: "r1"}}))
		}
	}
	end := w.drive(t.Context())
	w.act <- cancelled
	require.NoError(t, end())
	require.Len(t, slices.DeleteFunc(w.lines(), func(line string) bool { return line != "turn.raw s1" }), 40)
}
