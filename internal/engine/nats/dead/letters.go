// Package dead lists the dead letters, the inputs that a stage skipped, and retries them.
package dead

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// rawWait is how long a search in INPUT waits for its next message.
const rawWait = 2 * time.Second

// Stored is a dead letter with its number, its place in DEADLETTER.
type Stored struct {
	Number uint64 `json:"number"` // stream sequence
	engine.DeadLetter
	Mark string `json:"-"` // identifies it in an acknowledgement
}

// Letters calls take with every dead letter, oldest first. It skips messages that are not dead
// letters and reports them to the observer.
func Letters(ctx context.Context, b *natsengine.Broker, take func(Stored) error) error {
	dead, err := b.JetStream().Stream(ctx, string(events.StreamDeadLetter))
	if err != nil {
		return fmt.Errorf("open the dead letters: %w", err)
	}
	last := dead.CachedInfo().State.LastSeq
	if dead.CachedInfo().State.Msgs == 0 {
		return nil
	}
	feed, err := read.Follow(ctx, b, events.StreamDeadLetter, []string{"dead.>"}, 1)
	if err != nil {
		return err
	}
	defer feed.Close()
	for {
		m, err := feed.Next(ctx)
		if err != nil {
			return fmt.Errorf("read the dead letters: %w", err)
		}
		letter := Stored{Number: m.Sequence, Mark: markOf(m.Subject, m.Data)}
		if !isLetter(m.Subject, m.Data, &letter.DeadLetter) {
			b.Observer().Skipped(string(events.StreamDeadLetter), natsengine.AllPartitions,
				proof.ReasonForeign, m.Sequence)
		} else if err := take(letter); err != nil {
			return err
		}
		if m.Sequence >= last || m.Pending == 0 {
			return nil
		}
	}
}

// isLetter decodes a dead letter. It returns false for any other message: a dead letter names
// the subject on which it is stored.
func isLetter(subject string, data []byte, into *engine.DeadLetter) bool {
	return json.Unmarshal(data, into) == nil && into.Stage != "" &&
		subject == subjects.DeadLetterSubject(into.Stage, into.Partition, into.Group,
			strconv.FormatUint(into.Sequence, 10))
}

// ErrNoLetter is wrapped by the error for a number that is not that of a dead letter.
var ErrNoLetter = errors.New("no such dead letter")

// Letter returns the dead letter with a number.
func Letter(ctx context.Context, b *natsengine.Broker, number uint64) (Stored, error) {
	dead, err := b.JetStream().Stream(ctx, string(events.StreamDeadLetter))
	if err != nil {
		return Stored{}, fmt.Errorf("open the dead letters: %w", err)
	}
	m, err := dead.GetMsg(ctx, number)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return Stored{}, fmt.Errorf("%w %d; `scaffoldwatch dead list` lists them", ErrNoLetter, number)
	}
	if err != nil {
		return Stored{}, fmt.Errorf("read dead letter %d: %w", number, err)
	}
	letter := Stored{Number: number, Mark: markOf(m.Subject, m.Data)}
	if !isLetter(m.Subject, m.Data, &letter.DeadLetter) {
		return letter, fmt.Errorf("%w %d", ErrNoLetter, number)
	}
	return letter, nil
}

// Retry publishes the input of a dead letter again as a new event that names the letter: for a
// letter of ingest the message itself, for one of a later stage the raw turn that led to it. It
// fails if INPUT no longer holds that.
func Retry(ctx context.Context, b *natsengine.Broker, letter Stored) error {
	raw, err := rawOf(ctx, b, letter)
	if err != nil {
		return err
	}
	subject, err := subjects.ParseSubject(raw.Subject)
	if err != nil {
		return fmt.Errorf("retry dead letter %d: %w", letter.Number, err)
	}
	m := &nats.Msg{
		Subject: subject.Class + "." + subject.Group + "." + subject.ID, Data: raw.Data, Header: nats.Header{},
	}
	for name, values := range raw.Header {
		if !strings.HasPrefix(strings.ToLower(name), "nats-") {
			m.Header[name] = values
		}
	}
	m.Header["ce-id"] = []string{fmt.Sprintf("%s-retry-%d", raw.Header.Get("ce-id"), letter.Number)}
	m.Header["ce-"+events.RetryExtension] = []string{fmt.Sprintf("%s-%d", letter.Stage, letter.Sequence)}
	if _, err := b.JetStream().PublishMsg(ctx, m); err != nil {
		return fmt.Errorf("retry dead letter %d: %w", letter.Number, err)
	}
	return nil
}

// rawOf returns the message of INPUT that led to a letter.
func rawOf(ctx context.Context, b *natsengine.Broker, letter Stored) (*jetstream.RawStreamMsg, error) {
	input, err := b.JetStream().Stream(ctx, string(events.StreamInput))
	if err != nil {
		return nil, fmt.Errorf("open INPUT: %w", err)
	}
	gone := fmt.Errorf("retry dead letter %d: INPUT no longer holds what led to it "+
		"(raw input is short-lived, EV-5); publish the turn again", letter.Number)
	if letter.Stream == string(events.StreamInput) {
		m, err := input.GetMsg(ctx, letter.Sequence)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil, gone
		}
		return m, err
	}
	source, err := b.JetStream().Stream(ctx, letter.Stream)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", letter.Stream, err)
	}
	derived, err := source.GetMsg(ctx, letter.Sequence)
	if err != nil {
		return nil, fmt.Errorf("read what dead letter %d is about: %w", letter.Number, err)
	}
	cause := derived.Header.Get("ce-causationid")
	return rawByID(ctx, b, letter, cause, gone)
}

// rawByID returns the message of INPUT that holds an event of the letter's group with an id.
func rawByID(
	ctx context.Context, b *natsengine.Broker, letter Stored, id string, gone error,
) (*jetstream.RawStreamMsg, error) {
	filter := fmt.Sprintf("*.*.%d.%s.*", letter.Partition, letter.Group)
	feed, err := read.Follow(ctx, b, events.StreamInput, []string{filter}, 1)
	if err != nil {
		return nil, err
	}
	defer feed.Close()
	for {
		wait, cancel := context.WithTimeout(ctx, rawWait)
		m, err := feed.Next(wait)
		cancel()
		if err != nil {
			return nil, gone
		}
		if header := m.Header; header.Get("ce-id") == id {
			return &jetstream.RawStreamMsg{Subject: m.Subject, Header: header, Data: m.Data}, nil
		}
		if m.Pending == 0 {
			return nil, gone
		}
	}
}
