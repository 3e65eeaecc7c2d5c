package client

import (
	"context"
	"errors"
	"iter"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Control returns the control state of the session or run that f names (EV-8). With both
// it is the
// stricter of their states. A session or run that is unknown or has ended is
// ControlUnknown: it is
// not known to run, and a harness should report that. On an error the state is
// ControlUnknown as
// well.
//
// It is the dispatcher's last decision that can be proven (EV-6). Once that decision has
// aged out of the stream, the bucket CONTROL counts only as far as it stops something:
// an unproven entry never lets anything continue.
func (s *Subscriber) Control(ctx context.Context, f Filter) (runevents.Control, error) {
	keys, err := f.controlKeys()
	if err != nil {
		return runevents.Control{State: runevents.ControlUnknown}, err
	}
	w, err := s.standing(ctx, keys)
	if err != nil {
		return runevents.Control{State: runevents.ControlUnknown}, err
	}
	return w.strictest(), nil
}

// WatchControl yields the state that [Subscriber.Control] returns: the current one first,
// then the new one after every change, until ctx ends or the caller stops. It survives
// reconnects; decisions made in the meantime are yielded afterwards.
func (s *Subscriber) WatchControl(ctx context.Context, f Filter) iter.Seq2[runevents.Control, error] {
	return func(yield func(runevents.Control, error) bool) {
		last, err := runevents.Control{}, error(nil)
		for w, failed := range s.watch(ctx, f) {
			if err = failed; err != nil {
				break
			}
			now := w.strictest()
			if now == last {
				continue
			}
			if last = now; !yield(now, nil) {
				return
			}
		}
		if err != nil && ctx.Err() == nil {
			yield(runevents.Control{State: runevents.ControlUnknown}, err)
		}
	}
}

// ControlChange is one control.changed event and its place in the stream.
type ControlChange struct {
	Event    events.Event
	Changed  *runevents.ControlChanged
	Sequence uint64
}

// ControlChanges yields the decisions about the control states of the sessions and runs
// that f selects. Like Interrupts, it includes a run's sessions when f names the run. A
// harness with many sessions uses it to learn when the result of [Subscriber.Control]
// changes.
func (s *Subscriber) ControlChanges(ctx context.Context, f Filter, from Start) iter.Seq2[ControlChange, error] {
	return func(yield func(ControlChange, error) bool) {
		for m, err := range s.follow(ctx, f, f.subjects(runevents.TypeControlChanged), from) {
			changed, _ := m.event.Data.(*runevents.ControlChanged)
			if !yield(ControlChange{Event: m.event, Changed: changed, Sequence: m.sequence}, err) {
				return
			}
		}
	}
}

// watch yields the current states first, then the states after each decision about them.
func (s *Subscriber) watch(ctx context.Context, f Filter) iter.Seq2[*watched, error] {
	return func(yield func(*watched, error) bool) {
		keys, err := f.controlKeys()
		var end Start
		if err == nil {
			end, err = s.End(ctx)
		}
		var w *watched
		if err == nil {
			w, err = s.standing(ctx, keys)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		if !yield(w, nil) {
			return
		}
		var subjects []string
		for _, k := range keys {
			subjects = append(subjects, k.subject)
		}
		for m, err := range s.follow(ctx, f, subjects, end) {
			if err == nil {
				w.Decide(m.event, m.sequence)
			}
			if !yield(w, err) {
				return
			}
		}
	}
}

// controlKey is a run or session in the bucket, with the subject of its decisions.
type controlKey struct{ name, subject string }

func (f Filter) controlKeys() ([]controlKey, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	var keys []controlKey
	if f.Session != "" {
		keys = append(keys, controlKey{runevents.SessionControlKey(f.Session), subjects.SessionFilter(runevents.TypeControlChanged, f.Session)})
	}
	if f.Run != "" {
		keys = append(keys, controlKey{runevents.RunControlKey(f.Run), subjects.RunSubjectFilter(runevents.TypeControlChanged, f.Run)})
	}
	if len(keys) == 0 {
		return nil, errors.New("control state belongs to a session or a run: the filter names neither")
	}
	return keys, nil
}
