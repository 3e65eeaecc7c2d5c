package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// maxReason bounds a reason, in bytes, as it is used in headers and metrics.
const maxReason = 300

// redaction returns what shows an input without its secrets, a zero value if the machine shows
// none.
func (k *Kernel[S]) redaction(ctx context.Context, record Record) (step.Redaction, error) {
	if k.beyond.Recalled == nil || purges(record.Input.Event) {
		return k.beyond.Redaction, nil
	}
	held, err := k.state(ctx, record.Group, record.Position.Sequence-1)
	if lost := (*lostError)(nil); errors.As(err, &lost) {
		return k.beyond.Redaction, nil
	}
	if err != nil {
		return step.Redaction{}, err
	}
	return k.beyond.Recalled(held.state), nil
}

// poison returns what the machine reports about an input that cannot be folded. It reports
// nothing about a message whose fault hides what it is about.
func (k *Kernel[S]) poison(
	ctx context.Context, record Record, reason string, accept func([]events.Event) string,
) (Folded, error) {
	if len(reason) > maxReason {
		reason = reason[:maxReason]
	}
	input, say := k.reporter(record)
	if say == nil {
		return Folded{Fault: reason}, nil
	}
	text := func(raw string) string { return raw }
	redaction, err := k.redaction(ctx, record)
	if err != nil {
		return Folded{}, err
	}
	if redaction.Text != nil {
		text = redaction.Text
	}
	report := quietly(k.options.StepBudget, func() []events.Event {
		out := step.NewEmitter(k.machine.Stage(), k.identity, identified(input.Event))
		say(input, reason, text, out)
		return out.Events()
	})
	if accept(report) != "" {
		report = nil
	}
	return Folded{Events: report, Fault: reason}, nil
}

// reporter returns what is known of an input that is given up, and the machine's function that
// reports it, nil if there is none.
func (k *Kernel[S]) reporter(record Record) (step.Input, step.Report) {
	switch {
	case record.Fault == "":
		return record.Input, k.beyond.Poisoned
	case k.beyond.Refused != nil && record.Refused != nil:
		return *record.Refused, k.beyond.Refused
	}
	return record.Input, nil
}

// identified returns an event with an id. What is derived from two events without one must
// differ.
func identified(ev events.Event) events.Event {
	if ev.ID == "" {
		ev.ID = events.DerivedID("unidentified", ev.Source, string(ev.Type)+" "+string(ev.Raw), 0)
	}
	return ev
}

// letter returns the dead letter of a skipped input.
func (r *Runner[S]) letter(partition int, record Record, reason string, redaction step.Redaction) DeadLetter {
	ev := record.Input.Event
	letter := DeadLetter{
		Stage: r.Machine.Stage(), Partition: partition, Group: record.Group,
		Stream: record.Stream, Sequence: record.Position.Sequence, Reason: reason,
		Type: ev.Type, ID: ev.ID, Source: ev.Source, Subject: ev.Subject,
		Arrived: record.Input.Arrived, Hash: record.Hash(), Length: len(record.Data),
	}
	if redaction.Text != nil {
		letter.redact(redaction.Text, r.budget())
		if record.Fault == "" {
			letter.Redacted = quietly(r.budget(), func() []byte { return redaction.Data(record.Input) })
		}
	}
	return letter
}

// budget returns the time that one step may take, 0 for no limit.
func (r *Runner[S]) budget() time.Duration { return max(r.Options.StepBudget, 0) }

// Hash returns the SHA-256, in hex, of the data as it was received.
func (r Record) Hash() string {
	sum := sha256.Sum256(r.Data)
	return hex.EncodeToString(sum[:])
}

// redact removes secrets from what a publisher wrote into the envelope, and from the reason,
// which may quote it (SW-7). A text whose redaction panics or takes too long is left out.
func (l *DeadLetter) redact(clean func(string) string, budget time.Duration) {
	typ := string(l.Type)
	for _, text := range []*string{&typ, &l.ID, &l.Source, &l.Subject, &l.Reason} {
		raw := *text
		*text = string(quietly(budget, func() []byte { return []byte(clean(raw)) }))
	}
	l.Type = events.Type(typ)
}

// quietly returns the result of f, nil if f panics or exceeds the budget of a step: what an
// input did to the step it can do to the code that reports it.
func quietly[T any](budget time.Duration, f func() []T) []T {
	result, whole := within(budget, func() (result []T) {
		defer func() {
			if recover() != nil {
				result = nil
			}
		}()
		return f()
	})
	if !whole {
		return nil
	}
	return result
}
