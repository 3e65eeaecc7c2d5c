package dispatch

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/intent"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/pipeline"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/policy"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/warrant"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/wave"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Machine is the dispatcher as a stage: it reads SIGNALS and writes DECISIONS.
type Machine struct {
	config   *Config
	sessions *budget.Machine
	policy   *policy.Config
	wave     *wave.Config
	pipeline *pipeline.Config
	intent   *intent.Config
	warrant  *warrant.Config
	proof    *proof.Config
}

var _ step.Machine[*State] = (*Machine)(nil)

// New returns the stage for a rule set. An error names the file, the line and the
// fix.
func New(set *rules.Set) (*Machine, error) {
	sessions, err := budget.LoadConfig(set)
	if err != nil {
		return nil, err
	}
	m, taken := &Machine{sessions: budget.NewMachine(sessions)}, &rules.Taking{Set: set}
	rules.More(taken, &m.config, loadConfig)
	rules.More(taken, &m.policy, policy.LoadConfig)
	rules.More(taken, &m.wave, wave.LoadConfig)
	rules.More(taken, &m.pipeline, pipeline.LoadConfig)
	rules.More(taken, &m.intent, intent.LoadConfig)
	rules.More(taken, &m.proof, proof.LoadConfig)
	rules.More(taken, &m.warrant, warrant.LoadConfig)
	return m, taken.Err
}

// Stage returns "dispatcher".
func (m *Machine) Stage() string { return budget.StageName }

// Version returns the schema version of the snapshot.
func (m *Machine) Version() int { return 8 }

// Options implements [step.Machine]: the machine needs none.
func (m *Machine) Options() step.Options[*State] { return step.Options[*State]{} }

// State is the dispatcher's state of a group.
type State struct {
	Sessions *budget.State
	Layers   Layers
	// layers is the encoded size of the layers in the last snapshot.
	layers int
}

// Layers holds the states of run watch.
type Layers struct {
	// Watched holds the state that may break a session, by session id (RW-35).
	Watched  map[string]Watched `json:"watched,omitempty"`
	Run      policy.State       `json:"run"`
	Wave     wave.State         `json:"wave"`
	Pipeline pipeline.State     `json:"pipeline"`
	Intent   intent.State       `json:"intent"`
	Warrant  warrant.State      `json:"warrant,omitzero"`
	Proof    proof.State        `json:"proof,omitzero"`
}

// New returns the state of an unknown group.
func (m *Machine) New(group string) *State { return &State{Sessions: m.sessions.New(group)} }

// Step applies one event: first the interrupt budget of sessions, then each layer
// in order, then settle. It never fails; an event that it cannot use decides
// nothing.
func (m *Machine) Step(state *State, in step.Input, out *step.Emitter) (*State, error) {
	sessions, err := m.sessions.Step(state.Sessions, in, out)
	if err != nil {
		return state, err
	}
	state.Sessions = sessions
	event := run.NewContext(in)
	m.judgeSession(state, event)
	layers := &state.Layers
	before := layers.mark()
	m.policy.Decide(&layers.Run, event)
	m.wave.Decide(&layers.Wave, event)
	m.pipeline.Decide(&layers.Pipeline, event)
	m.intent.Decide(&layers.Intent, event)
	m.proof.Decide(&layers.Proof, event)
	m.pipeline.Wait(&layers.Pipeline, event)
	m.policy.Settle(&layers.Run, event, out)
	m.judged(layers, &before, out)
	return state, nil
}

type snapshot struct {
	Sessions json.RawMessage `json:"sessions"`
	Layers   json.RawMessage `json:"layers"`
}

// Encode returns the snapshot; equal states give equal bytes.
func (m *Machine) Encode(state *State) ([]byte, error) {
	sessions, err := m.sessions.Encode(state.Sessions)
	if err != nil {
		return nil, err
	}
	layers, err := json.Marshal(state.Layers)
	if err != nil {
		return nil, fmt.Errorf("encode the run layers: %w", err)
	}
	state.layers = len(layers)
	data, err := json.Marshal(snapshot{sessions, layers})
	if err != nil {
		return nil, fmt.Errorf("encode the dispatcher state: %w", err)
	}
	return data, nil
}

// Decode reads a snapshot.
func (m *Machine) Decode(data []byte) (*State, error) {
	var s snapshot
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("decode dispatcher state: %w", err)
	}
	sessions, err := m.sessions.Decode(s.Sessions)
	if err != nil {
		return nil, err
	}
	state := &State{Sessions: sessions, layers: len(s.Layers)}
	if err := json.Unmarshal(s.Layers, &state.Layers); err != nil {
		return nil, fmt.Errorf("decode the run layers: %w", err)
	}
	return state, nil
}

// Size estimates the memory of a group in bytes. Snapshots are taken at doubling
// intervals, so the layers are at most a few times larger than in the last one.
func (m *Machine) Size(state *State) int {
	return m.sessions.Size(state.Sessions) + layerBytes + 3*state.layers
}

// layerBytes is the size of a group without a run.
const layerBytes = 1 << 10

// marks are the positions of the layers' report lists before an event.
type marks struct {
	wave     wave.Mark
	pipeline pipeline.Mark
	intent   intent.Mark
}

func (l *Layers) mark() marks {
	return marks{wave: l.Wave.Mark(), pipeline: l.Pipeline.Mark(), intent: l.Intent.Mark()}
}

// judged emits what the event added to the lists for reports, after every other
// event. Reports fold DECISIONS and evaluate no rules.
func (m *Machine) judged(l *Layers, before *marks, out *step.Emitter) {
	var d runevents.RunJudged
	l.Run.Since(&d)
	l.Wave.Since(before.wave, &d)
	l.Pipeline.Since(before.pipeline, &d)
	l.Intent.Since(before.intent, &d)
	d.Breaks = m.warrant.Apply(&l.Warrant, out.Events())
	if !d.Empty() {
		out.Emit(runevents.TypeRunJudged, out.Cause().Group(), &d)
	}
}

// Config is the section "govern" of the rule data, which configures what breaks a session
// (RW-35).
type Config struct {
	StuckLoop struct {
		Detectors    []string `yaml:"detectors"`
		FreshRepeats int      `yaml:"fresh_repeats" range:"2..1000"`
	} `yaml:"stuck_loop"`
	IgnoredInterrupts struct {
		Fires int `yaml:"fires" range:"1..1000"`
	} `yaml:"ignored_interrupts"`
	FailedTurns struct {
		Consecutive int      `yaml:"consecutive" range:"1..1000"`
		StopReasons []string `yaml:"stop_reasons"`
	} `yaml:"failed_turns"`
	// Present is what a person sees besides the reason (RW-32).
	Present string `yaml:"present"`
	Kept    struct {
		Sessions int `yaml:"sessions" range:"1..100000"`
		Repeats  int `yaml:"repeats" range:"1..10000"`
		Evidence int `yaml:"evidence" range:"1..10000"`
	} `yaml:"kept"`
}

func loadConfig(set *rules.Set) (*Config, error) {
	var c Config
	if err := set.Decode("govern", &c); err != nil {
		return nil, err
	}
	for i, reason := range c.FailedTurns.StopReasons {
		c.FailedTurns.StopReasons[i] = word(reason)
	}
	return &c, nil
}

// word returns a stop reason in one spelling, however a publisher writes it.
func word(reason string) string {
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(reason)))
}

// failed reports whether a turn ended in an error of the agent rather than of one
// of its actions (RW-35).
func (c *Config) failed(turn *sessionevents.TurnEvaluated) bool {
	return turn.Observed != nil && turn.Observed.StopReason != "" &&
		slices.Contains(c.FailedTurns.StopReasons, word(turn.Observed.StopReason))
}
