package engine

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// maxReason bounds a reason, in bytes: it stands in a header and in metrics.
const maxReason = 300

// pass gives an input up: it is buried, then the batch passes it with a skip and
// with what the machine has to say. The group's state may be half changed, so
// it is forgotten and rebuilt when it is needed.
func (a *attempt[S]) pass(ctx context.Context, record Record, reason string) error {
	if len(reason) > maxReason {
		reason = reason[:maxReason]
	}
	a.states.forget(record.Group)
	if err := a.log.Bury(ctx, a.letter(record, reason)); err != nil {
		return fmt.Errorf("bury input %d: %w", record.Position.Sequence, err)
	}
	a.Observer.DeadLettered(a.partition, reason)
	messages := a.lastWords(record, reason)
	if err := a.room(ctx, messages); err != nil {
		return err
	}
	a.batch.add(record, messages)
	a.batch.Skips = append(a.batch.Skips, Skip{Group: record.Group, Sequence: record.Position.Sequence, Reason: reason})
	return nil
}

func (a *attempt[S]) letter(record Record, reason string) DeadLetter {
	ev := record.Input.Event
	letter := DeadLetter{
		Stage: a.Machine.Stage(), Partition: a.partition, Group: record.Group,
		Stream: record.Stream, Sequence: record.Position.Sequence, Reason: reason,
		Type: ev.Type, ID: ev.ID, Source: ev.Source, Subject: ev.Subject,
		Arrived: record.Input.Arrived, Hash: record.Hash, Length: record.Length,
	}
	if redactor, ok := a.Machine.(Redactor); ok {
		letter.redact(redactor)
		if record.Fault == "" {
			letter.Redacted = quietly(func() []byte { return redactor.Redacted(record.Input) })
		}
	}
	return letter
}

// redact cleans what a publisher wrote into the envelope, and the reason, which
// may quote it (SW-7). Where that panics, the text is left out.
func (l *DeadLetter) redact(redactor Redactor) {
	typ := string(l.Type)
	for _, text := range []*string{&typ, &l.ID, &l.Source, &l.Subject, &l.Reason} {
		raw := *text
		*text = string(quietly(func() []byte { return []byte(redactor.RedactedText(raw)) }))
	}
	l.Type = events.Type(typ)
}

// lastWords is what the machine emits about an input that was passed over. A
// message that was not understood has none.
func (a *attempt[S]) lastWords(record Record, reason string) []Message {
	poisoner, ok := a.Machine.(Poisoner)
	if !ok || record.Fault != "" {
		return nil
	}
	return quietly(func() []Message {
		out := step.NewEmitter(a.Machine.Stage(), a.Identity, record.Input.Event)
		poisoner.Poisoned(record.Input, reason, out)
		messages, _ := a.encode(record.Group, out)
		return messages
	})
}

// quietly returns nothing where f panics: the input is known to be poison.
func quietly[T any](f func() []T) (result []T) {
	defer func() {
		if recover() != nil {
			result = nil
		}
	}()
	return f()
}

// panicSite names the file and line that panicked, from a stack trace. The
// panic's value is not shown: it may quote the input (SW-7).
func panicSite(stack []byte) string {
	_, after, found := bytes.Cut(stack, []byte("panic("))
	if !found {
		return "an unknown place"
	}
	lines := bytes.Split(after, []byte("\n"))
	for _, line := range lines[min(2, len(lines)):] {
		if place, _, ok := bytes.Cut(bytes.TrimSpace(line), []byte(" +0x")); ok && !bytes.Contains(place, []byte("/runtime/")) {
			return filepath.Base(string(place))
		}
	}
	return "an unknown place"
}
