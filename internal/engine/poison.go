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

// maxReason bounds a reason, in bytes: it is used in headers and metrics.
const maxReason = 300

// Poisoner is a machine that reports an input that could not be folded, for
// example as a failed turn.evaluated. The state is as if it never came. The function text returns a
// text of the input without its secrets.
type Poisoner interface {
	Poisoned(in step.Input, reason string, text func(string) string, out *step.Emitter)
}

// Refuser is a machine that also reports an input that could not be decoded or
// validated: the first stage, so that what was refused at the door is named (DP-33).
type Refuser interface {
	Refused(in step.Input, reason string, text func(string) string, out *step.Emitter)
}

// Redactor is a machine that can show a skipped input without its secrets.
type Redactor interface {
	Redacted(in step.Input) []byte
	// RedactedText returns a text of the input's envelope, or of an error about
	// it, without its secrets.
	RedactedText(text string) string
}

// Remembering is a Redactor that knows of its group's secrets: what was recognised once is redacted
// where it is repeated (SW-7), in a dead letter too.
type Remembering[S any] interface {
	// Cleaning returns the methods of a Redactor that also know what the state does. They hold
	// none of it: one that takes too long may run on beside the next step.
	Cleaning(state S) (redacted func(step.Input) []byte, text func(string) string)
}

// cleaning is a Redactor made of functions.
type cleaning struct {
	redacted func(step.Input) []byte
	text     func(string) string
}

func (c cleaning) Redacted(in step.Input) []byte   { return c.redacted(in) }
func (c cleaning) RedactedText(text string) string { return c.text(text) }

// redactor returns what shows an input without its secrets, nil for a machine that shows none.
func (k *Kernel[S]) redactor(ctx context.Context, record Record) (Redactor, error) {
	plain, _ := k.machine.(Redactor)
	machine, remembers := any(k.machine).(Remembering[S])
	if !remembers || purges(record.Input.Event) {
		return plain, nil
	}
	held, err := k.state(ctx, record.Group, record.Position.Sequence-1)
	if lost := (*lostError)(nil); errors.As(err, &lost) {
		return plain, nil
	}
	if err != nil {
		return nil, err
	}
	var c cleaning
	c.redacted, c.text = machine.Cleaning(held.state)
	return c, nil
}

// poison gives an input up and returns what the machine reports about it.
// Nothing is reported about a message whose fault hides what it is about.
func (k *Kernel[S]) poison(ctx context.Context, record Record, reason string, accept func([]events.Event) string) (Folded, error) {
	if len(reason) > maxReason {
		reason = reason[:maxReason]
	}
	input, say := k.reporter(record)
	if say == nil {
		return Folded{Fault: reason}, nil
	}
	text := func(raw string) string { return raw }
	redactor, err := k.redactor(ctx, record)
	if err != nil {
		return Folded{}, err
	}
	if redactor != nil {
		text = redactor.RedactedText
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

// reporter returns what is known of an input that was given up and the machine's
// function that reports it, nil for none.
func (k *Kernel[S]) reporter(record Record) (step.Input, func(step.Input, string, func(string) string, *step.Emitter)) {
	if record.Fault == "" {
		if poisoner, is := k.machine.(Poisoner); is {
			return record.Input, poisoner.Poisoned
		}
		return record.Input, nil
	}
	if refuser, is := k.machine.(Refuser); is && record.Refused != nil {
		return *record.Refused, refuser.Refused
	}
	return record.Input, nil
}

// identified returns an event with an id: of one without, what is derived from it
// must differ from what is derived from the next one.
func identified(ev events.Event) events.Event {
	if ev.ID == "" {
		ev.ID = events.DerivedID("unidentified", ev.Source, string(ev.Type)+" "+string(ev.Raw), 0)
	}
	return ev
}

// letter describes a skipped input for DEADLETTER.
func (r *Runner[S]) letter(partition int, record Record, reason string, redactor Redactor) DeadLetter {
	ev := record.Input.Event
	letter := DeadLetter{
		Stage: r.Machine.Stage(), Partition: partition, Group: record.Group,
		Stream: record.Stream, Sequence: record.Position.Sequence, Reason: reason,
		Type: ev.Type, ID: ev.ID, Source: ev.Source, Subject: ev.Subject,
		Arrived: record.Input.Arrived, Hash: record.Hash(), Length: len(record.Data),
	}
	if redactor != nil {
		letter.redact(redactor, r.budget())
		if record.Fault == "" {
			letter.Redacted = quietly(r.budget(), func() []byte { return redactor.Redacted(record.Input) })
		}
	}
	return letter
}

// budget is the time that one step may take, 0 without a limit.
func (r *Runner[S]) budget() time.Duration { return max(r.Options.StepBudget, 0) }

// Hash is the SHA-256, in hex, of the data as it was received.
func (r Record) Hash() string {
	sum := sha256.Sum256(r.Data)
	return hex.EncodeToString(sum[:])
}

// redact removes secrets from what a publisher wrote into the envelope, and from
// the reason, which may quote it (SW-7). Where that panics or takes too long, the text is left out.
func (l *DeadLetter) redact(redactor Redactor, budget time.Duration) {
	typ := string(l.Type)
	for _, text := range []*string{&typ, &l.ID, &l.Source, &l.Subject, &l.Reason} {
		raw := *text
		*text = string(quietly(budget, func() []byte { return []byte(redactor.RedactedText(raw)) }))
	}
	l.Type = events.Type(typ)
}

// quietly returns nothing where f panics or exceeds the budget of a step: the input is known to
// be poison, and what it did to the step it can do to what speaks of it.
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
