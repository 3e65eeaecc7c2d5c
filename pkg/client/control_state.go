package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// watched are the states of some keys.
type watched struct {
	keys   []controlKey
	states map[string]runevents.Control
	at     map[string]uint64 // the decision behind a state, in DECISIONS
	ended  map[string]bool   // nothing stopped it when it ended
}

// standing reads the states as they are.
func (s *Subscriber) standing(ctx context.Context, keys []controlKey) (*watched, error) {
	prover, err := s.prover(ctx)
	if err != nil {
		return nil, err
	}
	w := &watched{keys: keys, states: map[string]runevents.Control{}, at: map[string]uint64{}, ended: map[string]bool{}}
	for _, k := range keys {
		known, err := s.decided(ctx, prover, k, w)
		if err == nil && !known {
			err = s.kept(ctx, prover, k, w)
		}
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

// decided takes the last proven decision about a key; known is false where there
// is none.
func (s *Subscriber) decided(ctx context.Context, p *prover, k controlKey, w *watched) (known bool, err error) {
	for below := uint64(0); ; {
		m, err := p.last(ctx, k.subject, below)
		if err != nil || m == nil {
			return false, err
		}
		e, ok := s.accept(m)
		if ok && w.take(accepted{event: e, sequence: m.Sequence}) == k.name {
			return true, nil
		}
		below = m.Sequence // a run's and a session's may share the subject
	}
}

// take takes a decision and names the key it is about.
func (w *watched) take(m accepted) string {
	changed, is := m.event.Data.(*runevents.ControlChanged)
	if !is {
		return ""
	}
	name := runevents.RunControlKey(m.event.Subject)
	if changed.Scope == runevents.ScopeSession {
		name = runevents.SessionControlKey(m.event.Subject)
	}
	if m.sequence > w.at[name] {
		w.at[name], w.states[name], w.ended[name] = m.sequence, changed.Control(), changed.Ended
		if changed.Ended {
			w.states[name] = runevents.Control{State: runevents.ControlUnknown, Why: "it has ended"}
		}
	}
	return name
}

// kept reads a key that DECISIONS says nothing of from the bucket. A stop there
// counts; that it runs counts only where the decision behind it can be gone by age.
func (s *Subscriber) kept(ctx context.Context, p *prover, k controlKey, w *watched) error {
	entry, err := s.lastOf(ctx, k)
	if err != nil || entry == nil || entry.Header.Get("KV-Operation") != "" {
		return err
	}
	value := parseControl(entry.Data)
	if value.State == runevents.ControlRunning {
		state, err := p.store.State(ctx)
		if err != nil {
			return err
		}
		if !decidedBefore(entry.Header.Get(headerDecision), state.FirstSeq) {
			value = runevents.Control{State: runevents.ControlUnknown, Why: "the control state was not decided by the dispatcher"}
		}
	}
	w.states[k.name] = value
	return nil
}

// headerDecision names, on a value of CONTROL, the decision it comes from.
const headerDecision = "Scaffoldwatch-Decision"

// decidedBefore reports whether a value's decision lies before what DECISIONS holds.
func decidedBefore(decision string, first uint64) bool {
	_, sequence, _ := strings.Cut(decision, " ")
	n, err := strconv.ParseUint(sequence, 10, 64)
	return err == nil && n > 0 && n < first
}

// lastOf is the value of a key in the bucket, nil where there is none.
func (s *Subscriber) lastOf(ctx context.Context, k controlKey) (*jetstream.RawStreamMsg, error) {
	bucket, err := s.js.Stream(ctx, "KV_"+runevents.ControlBucket)
	if err != nil {
		return nil, fmt.Errorf("open the bucket %s (made by `scaffoldwatch streams init`): %w", runevents.ControlBucket, err)
	}
	entry, err := bucket.GetLastMsgForSubject(ctx, "$KV."+runevents.ControlBucket+"."+k.name)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s from %s: %w", k.name, runevents.ControlBucket, err)
	}
	return entry, nil
}

// parseControl reads a value; one that cannot be read is unknown.
func parseControl(value []byte) runevents.Control {
	var c runevents.Control
	if json.Unmarshal(value, &c) != nil || strictness[c.State] == 0 {
		return runevents.Control{State: runevents.ControlUnknown, Why: "unreadable control state"}
	}
	return c
}

// strictness orders states: a known halt outranks not knowing, which outranks
// being known to run.
var strictness = map[runevents.ControlState]int{
	runevents.ControlRunning: 1, runevents.ControlUnknown: 2, runevents.ControlDraining: 3, runevents.ControlPaused: 4, runevents.ControlHalted: 5,
}

// mayRun reports whether all of them run, or ended with nothing that stopped them.
func (w *watched) mayRun() bool {
	for _, k := range w.keys {
		if w.states[k.name].State != runevents.ControlRunning && !w.ended[k.name] {
			return false
		}
	}
	return true
}

// strictest is the state that holds for all keys together, the first one's on a
// tie; a key without a state is unknown.
func (w *watched) strictest() runevents.Control {
	var out runevents.Control
	for _, k := range w.keys {
		c, known := w.states[k.name]
		if !known {
			c = runevents.Control{State: runevents.ControlUnknown}
		}
		if strictness[c.State] > strictness[out.State] {
			out = c
		}
	}
	return out
}
