package engine

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// fold folds one record into the batch. It skips an input that is itself at fault; an error is
// that of the environment.
func (a *attempt[S]) fold(ctx context.Context, record Record) error {
	a.batch.begin()
	if record.Idle {
		a.batch.Position = record.Position
		a.batch.idle++
		return nil
	}
	var messages []Message
	folded, err := a.kernel.Fold(ctx, record, func(derived []events.Event) (fault string) {
		messages, fault = a.encode(record.Group, derived)
		return fault
	})
	if err != nil {
		return err
	}
	if folded.Fault != "" {
		return a.skip(ctx, record, folded.Fault, messages)
	}
	if err := a.room(ctx, messages); err != nil {
		return err
	}
	a.batch.add(record, messages)
	if a.derived != nil {
		a.batch.derived = append(a.batch.derived, folded.Events...)
	}
	return a.kernel.Keep(ctx, record.Group)
}

// unsaid replaces a reason that could not be redacted: an input without any reason counts as
// folded.
const unsaid = "given up"

// skip stores the dead letter of an input and then adds to the batch the skip and what the
// machine reports about it.
func (a *attempt[S]) skip(ctx context.Context, record Record, reason string, messages []Message) error {
	redaction, err := a.kernel.redaction(ctx, record)
	if err != nil {
		return fmt.Errorf("redact the dead letter of input %d: %w", record.Position.Sequence, err)
	}
	letter, began := a.letter(a.partition, record, reason, redaction), time.Now()
	if err := a.log.DeadLetter(ctx, letter); err != nil {
		return fmt.Errorf("store the dead letter of input %d: %w", record.Position.Sequence, err)
	}
	a.batch.waited += time.Since(began)
	a.Observer.DeadLettered(a.partition, reason)
	if err := a.room(ctx, messages); err != nil {
		return err
	}
	a.batch.add(record, messages)
	a.batch.Skips = append(a.batch.Skips, Skip{Group: record.Group, Sequence: record.Position.Sequence, Reason: cmp.Or(letter.Reason, unsaid)})
	return nil
}

// room commits first when the messages do not fit: one input's output stays
// together, and a huge turn commits alone.
func (a *attempt[S]) room(ctx context.Context, messages []Message) error {
	if a.batch.fits(messages, a.Options) {
		return nil
	}
	if err := a.commit(ctx); err != nil {
		return err
	}
	a.batch.begin()
	return nil
}

// encode turns what a machine derived into messages; a fault makes its input poison.
func (a *attempt[S]) encode(group string, derived []events.Event) (messages []Message, fault string) {
	if len(derived) > a.Options.MaxMessages-2 {
		return nil, fmt.Sprintf("derives %d events, more than the %d of a commit", len(derived), a.Options.MaxMessages-2)
	}
	for _, ev := range derived {
		message, err := a.log.Encode(group, ev)
		if err != nil {
			return nil, fmt.Sprintf("derives an event that cannot be written: %v", err)
		}
		messages = append(messages, message)
	}
	return messages, ""
}
