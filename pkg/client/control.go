package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Control says whether what f names may go on (EV-8). With both a session and a
// run it is the stricter of their states. A missing key is ControlUnknown: it
// is not known to run, and a harness says so. With an error the state is
// ControlUnknown as well.
func (s *Subscriber) Control(ctx context.Context, f Filter) (events.Control, error) {
	unknown := events.Control{State: events.ControlUnknown}
	keys, err := f.controlKeys()
	if err != nil {
		return unknown, err
	}
	bucket, err := s.controlBucket(ctx)
	if err != nil {
		return unknown, err
	}
	states := map[string]events.Control{}
	for _, key := range keys {
		entry, err := bucket.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue
		}
		if err != nil {
			return unknown, fmt.Errorf("read %s from %s: %w", key, events.ControlBucket, err)
		}
		states[key] = parseControl(entry.Value())
	}
	return strictest(keys, states), nil
}

// WatchControl yields the state that [Subscriber.Control] gives, first as it is
// and then whenever it changes, until ctx ends or the caller stops.
func (s *Subscriber) WatchControl(ctx context.Context, f Filter) iter.Seq2[events.Control, error] {
	return func(yield func(events.Control, error) bool) {
		unknown := events.Control{State: events.ControlUnknown}
		keys, err := f.controlKeys()
		if err != nil {
			yield(unknown, err)
			return
		}
		watcher, err := s.watch(ctx, keys)
		if err != nil {
			if ctx.Err() == nil {
				yield(unknown, err)
			}
			return
		}
		defer func() { _ = watcher.Stop() }()
		followControl(ctx, watcher, keys, yield)
	}
}

func (s *Subscriber) watch(ctx context.Context, keys []string) (jetstream.KeyWatcher, error) {
	bucket, err := s.controlBucket(ctx)
	if err != nil {
		return nil, err
	}
	watcher, err := bucket.WatchFiltered(ctx, slices.Clone(keys)) // it writes into its argument
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", events.ControlBucket, err)
	}
	return watcher, nil
}

// followControl yields the state once all present values are read, then on change.
func followControl(ctx context.Context, watcher jetstream.KeyWatcher, keys []string, yield func(events.Control, error) bool) {
	states := map[string]events.Control{}
	var last events.Control
	complete := false
	for {
		select {
		case <-ctx.Done():
			return
		case entry, open := <-watcher.Updates():
			switch {
			case !open:
				return
			case entry == nil: // all present values were read
				complete = true
			case entry.Operation() == jetstream.KeyValuePut:
				states[entry.Key()] = parseControl(entry.Value())
			default:
				delete(states, entry.Key())
			}
		}
		now := strictest(keys, states)
		if complete && now != last {
			last = now
			if !yield(now, nil) {
				return
			}
		}
	}
}

func (s *Subscriber) controlBucket(ctx context.Context) (jetstream.KeyValue, error) {
	bucket, err := s.js.KeyValue(ctx, events.ControlBucket)
	if err != nil {
		return nil, fmt.Errorf("open the bucket %s (made by `scaffoldwatch streams init`): %w", events.ControlBucket, err)
	}
	return bucket, nil
}

func (f Filter) controlKeys() ([]string, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	var keys []string
	if f.Session != "" {
		keys = append(keys, events.SessionControlKey(f.Session))
	}
	if f.Run != "" {
		keys = append(keys, events.RunControlKey(f.Run))
	}
	if len(keys) == 0 {
		return nil, errors.New("control state belongs to a session or a run: the filter names neither")
	}
	return keys, nil
}

// parseControl reads a value; one that cannot be read is unknown.
func parseControl(value []byte) events.Control {
	var c events.Control
	if json.Unmarshal(value, &c) != nil || strictness[c.State] == 0 {
		return events.Control{State: events.ControlUnknown, Why: "unreadable control state"}
	}
	return c
}

// strictness orders states: a known halt outranks not knowing, which outranks
// being known to run.
var strictness = map[events.ControlState]int{
	events.ControlRunning: 1, events.ControlUnknown: 2, events.ControlDraining: 3, events.ControlPaused: 4, events.ControlHalted: 5,
}

// strictest is the state that holds for all keys together, the first one's on a
// tie; a key without a state is unknown.
func strictest(keys []string, states map[string]events.Control) events.Control {
	var out events.Control
	for _, key := range keys {
		c, known := states[key]
		if !known {
			c = events.Control{State: events.ControlUnknown}
		}
		if strictness[c.State] > strictness[out.State] {
			out = c
		}
	}
	return out
}
