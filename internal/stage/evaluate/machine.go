// Package evaluate is the evaluator stage: it folds segmented turns into each
// session's registry, runs the detectors, and closes every turn with
// turn.evaluated (DP-10).
package evaluate

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/intent"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// StageName is the evaluator's name as a stage.
const StageName = "evaluator"

// Options are the parts of a Machine.
type Options struct {
	Detectors []*detect.Detector
	Rules     *rules.Set
	Identity  step.Identity
}

// Machine is the evaluator as a stage: it reads SEGMENTS and writes SIGNALS.
type Machine struct {
	suite    *detect.Suite
	registry registry.Config
	ledger   *ledger.Config
	pauses   *segment.Pauses
	rules    config
	files    *files.Table

	shadows  *shadow.Config
	intent   *intent.Config
	opinions *opinion.Config
	identity step.Identity

	again      []string // the detectors that run again, nil for all
	beside     []*detect.Beside
	identities []step.Identity // of the machines in beside
}

var _ step.Machine[*State] = (*Machine)(nil)

type config struct {
	Sessions  int       `yaml:"sessions" range:"1..100000"`
	TestCases testCases `yaml:"test_cases"`
	// HandedOver are files that a phase leaves for another, of sessions of a run (PL-20).
	HandedOver struct {
		Files  *pattern.Regexp `yaml:"files" pattern:"fold"`
		Except *pattern.Regexp `yaml:"except" pattern:"fold"`
		Opened *pattern.Regexp `yaml:"opened"`
	} `yaml:"handed_over"`
	Hypothesis *pattern.Regexp `yaml:"hypothesis" pattern:"fold"`
}

// New returns the stage. It fails if its parts cannot read the rule data or a detector is
// incomplete.
func New(o Options) (*Machine, error) {
	m := &Machine{identity: o.Identity}
	if err := o.Rules.Decode("evaluate", &m.rules); err != nil {
		return nil, err
	}
	var err error
	if m.files, err = files.Load(o.Rules); err != nil {
		return nil, err
	}
	if m.suite, err = detect.NewSuite(o.Detectors, o.Rules); err != nil {
		return nil, fmt.Errorf("start detectors: %w", err)
	}
	if m.registry, err = registry.Load(o.Rules); err != nil {
		return nil, fmt.Errorf("start registry: %w", err)
	}
	if m.ledger, err = ledger.Load(o.Rules); err != nil {
		return nil, fmt.Errorf("start ledger: %w", err)
	}
	if m.pauses, err = segment.NewPauses(o.Rules); err != nil {
		return nil, fmt.Errorf("start pauses: %w", err)
	}
	if m.shadows, err = shadow.LoadConfig(o.Rules); err != nil {
		return nil, fmt.Errorf("start shadows: %w", err)
	}
	if m.intent, err = intent.LoadConfig(o.Rules); err != nil {
		return nil, fmt.Errorf("start intent watch: %w", err)
	}
	if m.opinions, err = opinion.Load(o.Rules); err != nil {
		return nil, fmt.Errorf("start second opinions: %w", err)
	}
	return m, nil
}

// Suite returns the detectors that the machine runs.
func (m *Machine) Suite() *detect.Suite { return m.suite }

// Stage returns "evaluator".
func (*Machine) Stage() string { return StageName }

// Identity returns the rules and configuration that the machine's events carry (EV-2).
func (m *Machine) Identity() step.Identity { return m.identity }

// Step folds one event of SEGMENTS. A turn yields its signals and then its
// turn.evaluated; everything else is forwarded to later stages (EV-5).
func (m *Machine) Step(state *State, in step.Input, out *step.Emitter) (*State, error) {
	if m.again != nil {
		m.recorded(state, in, out)
		return state, nil
	}
	beside := m.emitters(in.Event)
	switch data := in.Event.Data.(type) {
	case *sessionevents.TurnSegmented:
		m.turn(state, data, in.Event.Time, out, beside)
		m.watch(state, in, out, beside)
		return state, nil
	case *events.TimerSet:
		return state, nil // for ingest itself, which keeps it
	case *sessionevents.SessionOpened:
		m.opened(state, data)
	case *sessionevents.SessionClosed:
		ended(state, data)
	case *sessionevents.OpinionRecorded:
		m.opined(state, data, append(beside, out))
	case *sessionevents.WorkspaceObserved:
		observed(state, data)
	case *sessionevents.CheckObserved:
		received(state, data)
	}
	m.watch(state, in, out, beside)
	out.Forward(in.Event)
	return state, nil
}

func ended(state *State, data *sessionevents.SessionClosed) {
	if s := state.Sessions[data.Session]; s != nil {
		s.Closed = true
	}
}

// observed records an observation of a session's workspace, for the claims of the
// response that was complete (JD-20).
func observed(state *State, data *sessionevents.WorkspaceObserved) {
	if s := state.Sessions[data.Session]; s != nil {
		s.Ledger = s.Ledger.Observe(data)
	}
}

// received records the receipt of a check that a person requested (JD-21).
func received(state *State, data *sessionevents.CheckObserved) {
	if s := state.Sessions[data.Session]; s != nil {
		s.Ledger = s.Ledger.Receive(data)
	}
}

// opened adds the publisher's description to a session; it may arrive late.
func (m *Machine) opened(state *State, data *sessionevents.SessionOpened) {
	parent := ""
	if data.Agent != nil {
		parent = data.Agent.ParentSession
	}
	m.session(state, data.Session, parent).registry.Open(data)
}

// Options implements [step.Machine].
func (*Machine) Options() step.Options[*State] { return step.Options[*State]{Poisoned: poisoned} }

// poisoned closes a turn that could not be evaluated, so that the dispatcher
// and the report learn of it (DP-10, DP-33).
func poisoned(in step.Input, reason string, _ func(string) string, out *step.Emitter) {
	cause := in.Event
	if recorded, is := cause.Data.(*Recorded); is {
		cause = recorded.Turn
	}
	turn, ok := cause.Data.(*sessionevents.TurnSegmented)
	if !ok {
		return
	}
	out.Emit(sessionevents.TypeTurnEvaluated, turn.Session, &sessionevents.TurnEvaluated{
		Session: turn.Session, Run: turn.Run, Turn: turn.Turn, Signals: []string{}, Failed: reason,
	})
}

// Other is a machine with other rules, which differ only in what detectors read.
type Other struct {
	*Machine
	Differs func(section string) bool
}

// Beside returns the machine with others that evaluate the same turns (AU-20). The events
// they derive from an input follow the machine's own, under their identities; forwarded
// events are not repeated.
func (m *Machine) Beside(others []Other) *Machine {
	all := *m
	all.beside, all.identities = nil, nil
	for _, o := range others {
		all.beside = append(all.beside, m.suite.Beside(o.suite, o.Differs))
		all.identities = append(all.identities, o.identity)
	}
	return &all
}

// emitters returns the emitters of the other machines for an input.
func (m *Machine) emitters(cause events.Event) (all []*step.Emitter) {
	for _, id := range m.identities {
		all = append(all, step.NewEmitter(StageName, id, cause))
	}
	return all
}

// watch reports what an event shows about its run, which is the same for the other
// machines, and adds their events.
func (m *Machine) watch(state *State, in step.Input, out *step.Emitter, beside []*step.Emitter) {
	before := len(out.Events())
	m.watchRun(state, in, out)
	watched := out.Events()[before:]
	for _, other := range beside {
		for _, e := range watched {
			other.Emit(e.Type, e.Subject, e.Data)
		}
	}
	for _, other := range beside {
		for _, e := range other.Events() {
			out.Forward(e)
		}
	}
}

// watchRun reports what an event shows about its run. The signals precede the event
// itself, so that the dispatcher has them when it closes the event.
func (m *Machine) watchRun(state *State, in step.Input, out *step.Emitter) {
	event := run.NewContext(in)
	m.shadows.Decide(&state.Run, event)
	m.intent.Signal(event)
	for i, c := range event.Conclusions() {
		subject := c.Subject
		if subject == "" {
			subject = in.Event.Subject
		}
		if signal, is := c.Data.(*sessionevents.Signal); is {
			if signal.Run == "" {
				signal.Run = subject
			}
			signal.ID = events.SignalID(signal.Run, signal.Turn, signal.Detector, signal.Subject, fmt.Sprint(in.Event.ID, ":", i))
		}
		out.Emit(c.Type, subject, c.Data)
	}
}

// advised is what a session stores for second opinions: its latest turn, the signals of
// that turn that JD-2 withholds, and the number of findings that models have added.
type advised struct {
	Turn     int                    `json:"turn,omitempty"`
	Withheld []sessionevents.Signal `json:"withheld,omitempty"`
	Added    int                    `json:"added,omitempty"`
	// Known holds the ids of the findings that models added, since the same finding
	// counts once.
	Known []string `json:"known,omitempty"`
}

// turn starts the grace turn of a turn's findings: an opinion about older ones is too
// late (AD-4).
func (a *advised) turn(number int, signals []sessionevents.Signal) {
	a.Turn, a.Withheld = number, nil
	for i := range signals {
		if s := &signals[i]; s.Withheld != "" && s.Suppressed == "" {
			a.Withheld = append(a.Withheld, *s)
		}
	}
}

// opined converts what a second opinion confirms or adds into signals (AD-2, AD-3). The
// event itself follows them; it has no other effect here or in the dispatcher.
func (m *Machine) opined(state *State, o *sessionevents.OpinionRecorded, outs []*step.Emitter) {
	s := state.Sessions[o.Session]
	if s == nil || s.Closed || !o.Counts() {
		return
	}
	for _, signal := range append(s.Advised.confirmed(m.opinions, o), s.Advised.found(m.opinions, o)...) {
		for _, out := range outs {
			copied := signal
			out.Emit(sessionevents.TypeSignalDetected, o.Session, &copied)
		}
	}
}

// confirmed returns the withheld signals of the latest turn that an opinion confirms,
// once each.
func (a *advised) confirmed(c *opinion.Config, o *sessionevents.OpinionRecorded) []sessionevents.Signal {
	if !o.Confirms() {
		return nil
	}
	at := slices.IndexFunc(a.Withheld, func(s sessionevents.Signal) bool { return s.ID == o.Signal })
	if at < 0 {
		return nil
	}
	return []sessionevents.Signal{a.repeat(c, o, at)}
}

func (a *advised) repeat(c *opinion.Config, o *sessionevents.OpinionRecorded, at int) sessionevents.Signal {
	again := c.Repeated(&a.Withheld[at], o)
	a.Withheld = slices.Delete(slices.Clone(a.Withheld), at, at+1)
	return again
}

// found returns the signals of an opinion's findings. A finding about the same thing as a
// withheld signal confirms that signal instead.
func (a *advised) found(c *opinion.Config, o *sessionevents.OpinionRecorded) []sessionevents.Signal {
	var out []sessionevents.Signal
	for _, s := range c.Signals(o, a.Turn, c.Findings.PerSession-a.Added) {
		if slices.Contains(a.Known, s.ID) {
			continue
		}
		a.Known = append(slices.Clone(a.Known), s.ID)
		a.Added++
		at := slices.IndexFunc(a.Withheld, func(w sessionevents.Signal) bool { return opinion.SameThing(&s, &w) })
		if at >= 0 {
			s = a.repeat(c, o, at)
		}
		out = append(out, s)
	}
	return out
}
