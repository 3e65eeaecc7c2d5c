package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// watched holds the states of some keys.
type watched struct {
	control.Projection
	keys []string
}

func (w *watched) strictest() runevents.Control { return w.Of(w.keys...) }

// mayBegin reports whether all of them are running, or have ended without being stopped.
func (w *watched) mayBegin() bool { return w.MayBegin(w.keys...) }

// standing reads the current states.
func (s *Subscriber) standing(ctx context.Context, keys []controlKey) (*watched, error) {
	prover, err := s.prover(ctx)
	if err != nil {
		return nil, err
	}
	w := &watched{}
	for _, k := range keys {
		w.keys = append(w.keys, k.name)
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

// decided folds the last proven decision about a key; known is false if there is none.
func (s *Subscriber) decided(ctx context.Context, p *prover, k controlKey, w *watched) (known bool, err error) {
	for below := uint64(0); ; {
		m, err := p.last(ctx, k.subject, below)
		if err != nil || m == nil {
			return false, err
		}
		if e, ok := s.accept(m); ok {
			if change, is := w.Decide(e, m.Sequence); is && change.Key == k.name {
				return true, nil
			}
		}
		below = m.Sequence // a run and its session may share the subject
	}
}

// kept reads a key that has no decision in DECISIONS from the bucket.
func (s *Subscriber) kept(ctx context.Context, p *prover, k controlKey, w *watched) error {
	entry, err := s.lastOf(ctx, k)
	if err != nil || entry == nil || entry.Header.Get("KV-Operation") != "" {
		return err
	}
	state, err := p.store.State(ctx)
	if err != nil {
		return err
	}
	w.Keep(k.name, control.Kept(entry.Data, control.ParseOrigin(entry.Header.Get(control.OriginHeader)), state.FirstSeq))
	return nil
}

// lastOf returns the value of a key in the bucket, nil if the key is missing.
func (s *Subscriber) lastOf(ctx context.Context, k controlKey) (*jetstream.RawStreamMsg, error) {
	bucket, err := s.js.Stream(ctx, "KV_"+runevents.ControlBucket)
	if err != nil {
		return nil, fmt.Errorf("open the bucket %s (created by `scaffoldwatch streams init`): %w", runevents.ControlBucket, err)
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
