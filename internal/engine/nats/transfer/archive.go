package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/nats-io/nats-server/v2/server/archive"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Archived describes a copy of a stream.
type Archived struct {
	Name     string          `json:"name"`
	Config   json.RawMessage `json:"config"`  // as the broker has it
	Created  time.Time       `json:"created"` // of the stream, first
	Identity string          `json:"identity"`
	First    uint64          `json:"first"` // sequence kept
	Last     uint64          `json:"last"`  // sequence that was ever assigned
	Messages uint64          `json:"messages"`
	Bytes    uint64          `json:"bytes"`
	Taken    time.Time       `json:"taken"` // when the copy was begun, the broker's time
}

// Same reports whether a stream is as it was when it was copied. Messages never change:
// they are added at the end and removed.
func (a Archived) Same(now Archived) bool {
	return a.Identity == now.Identity && a.First == now.First && a.Last == now.Last && a.Messages == now.Messages && compact(a.Config) == compact(now.Config)
}

func compact(raw json.RawMessage) string {
	var out bytes.Buffer
	_ = json.Compact(&out, raw) // it was decoded
	return out.String()
}

// ErrNoStream is returned (wrapped) for a stream that does not exist.
var ErrNoStream = errors.New("the stream does not exist")

// noStream is the broker's error for a stream that does not exist.
const noStream = int(jetstream.JSErrCodeStreamNotFound)

// Look describes a stream as an archive made now would. It waits for a leader that reaches a majority: one
// server of a cluster that was left alone describes what it has, which others may have gone beyond.
func Look(ctx context.Context, b *natsengine.Broker, name string) (Archived, error) {
	var info jetstream.StreamInfo
	var as struct {
		Config json.RawMessage `json:"config"`
	}
	err := untilLed(ctx, func(ctx context.Context) error {
		var raw json.RawMessage
		if err := ask(ctx, b, "STREAM.INFO."+name, struct{}{}, &raw); err != nil {
			return err
		}
		info = jetstream.StreamInfo{}
		if err := errors.Join(json.Unmarshal(raw, &info), json.Unmarshal(raw, &as)); err != nil {
			return err
		}
		if reached, majority := vitals.Reached(&info); reached < majority {
			return fmt.Errorf("%w: %d of %d replicas are in reach of a leader", errNoQuorum, reached, info.Config.Replicas)
		}
		return nil
	})
	if refused := (*apiError)(nil); errors.As(err, &refused) && refused.ErrCode == noStream {
		return Archived{}, fmt.Errorf("%s: %w", name, ErrNoStream)
	}
	if err != nil {
		return Archived{}, fmt.Errorf("look up stream %s: %w", name, err)
	}
	s := info.State
	return Archived{
		Name: name, Config: as.Config, Created: natsengine.CreatedAt(&info).UTC(), Identity: natsengine.IdentityOf(&info), Taken: info.TimeStamp.UTC(),
		First: s.FirstSeq, Last: s.LastSeq, Messages: s.Msgs, Bytes: s.Bytes,
	}, nil
}

// Archive copies a stream by the broker's own snapshot and calls take with each message
// in order. The slices of a record are valid during the call only.
//
// The broker reads the messages one after the other while the stream goes on, so two
// things are put right afterwards: a batch that was cut in two is read to its end, and
// where a state snapshot was replaced before it was read, what came since is read too.
// What take was called with is then the stream at its last sequence, except for snapshots
// that a later one among them replaces.
func Archive(ctx context.Context, b *natsengine.Broker, name string, take func(Record) error) (Archived, error) {
	a, err := Look(ctx, b, name)
	if err != nil {
		return a, err
	}
	tail := newTail(b, name)
	counted := func(r Record) error {
		if a.Messages++; a.Messages == 1 {
			a.First = r.Sequence
		}
		a.Bytes += uint64(r.Size())
		tail.saw(r)
		return take(r)
	}
	a.Messages, a.Bytes = 0, 0
	state, err := snapshot(ctx, b, name, counted)
	if err != nil {
		return a, fmt.Errorf("copy stream %s: %w", name, err)
	}
	tail.last = max(state.LastSeq, tail.last)
	if err := tail.settle(ctx, counted); err != nil {
		return a, fmt.Errorf("copy stream %s: %w", name, err)
	}
	a.Last = tail.last
	if a.Messages == 0 && a.Last > 0 {
		a.First = a.Last + 1
	}
	return a, nil
}

// snapshot asks the broker for a snapshot and reads it.
func snapshot(
	ctx context.Context, b *natsengine.Broker, name string, take func(Record) error,
) (jetstream.StreamState, error) {
	var answer struct {
		State jetstream.StreamState `json:"state"`
	}
	inbox := b.Conn().NewInbox()
	sub, err := b.Conn().SubscribeSync(inbox)
	if err != nil {
		return answer.State, fmt.Errorf("subscribe: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	request := map[string]any{"deliver_subject": inbox, "no_consumers": true}
	if err := ask(ctx, b, "STREAM.SNAPSHOT."+name, request, &answer); err != nil {
		return answer.State, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, w := io.Pipe()
	go func() { w.CloseWithError(receive(ctx, sub, w)) }()
	err = ReadRecords(s2.NewReader(r), take)
	r.CloseWithError(errors.New("stopped")) // ends receive, if it still waits to write
	if errors.Is(err, archive.ErrInvalidArchive) {
		err = fmt.Errorf("%w: the snapshot of nats-server %s is not of the form that 2.15 introduced, or was cut", err, b.Conn().ConnectedServerVersion())
	}
	return answer.State, err
}

// receive writes the chunks of a snapshot to w and acknowledges each.
func receive(ctx context.Context, sub *nats.Subscription, w io.Writer) error {
	for {
		m, err := nextWithin(ctx, sub, apiPatience)
		if err != nil {
			return fmt.Errorf("the broker sends no more of it: %w", err)
		}
		if len(m.Data) == 0 {
			if status := m.Header.Get("Status"); status != "" && status != "204" {
				return fmt.Errorf("the broker ended it: %s %s", status, m.Header.Get("Description"))
			}
			return nil
		}
		if _, err := w.Write(m.Data); err != nil {
			return err
		}
		if m.Reply != "" {
			if err := m.Respond(nil); err != nil {
				return fmt.Errorf("acknowledge a chunk: %w", err)
			}
		}
	}
}

func nextWithin(ctx context.Context, sub *nats.Subscription, patience time.Duration) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return sub.NextMsgWithContext(ctx)
}

// ReadRecords calls take with each message of an archive, which must be whole.
func ReadRecords(from io.Reader, take func(Record) error) error {
	archived := archive.NewReader(from)
	var buffer []byte
	for {
		h, err := archived.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: it has no end", archive.ErrInvalidArchive)
		}
		if err != nil {
			return err
		}
		size := h.HeaderSize + h.PayloadSize
		if h.Sequence == 0 && h.Name == "" && size == 0 {
			return nil // the end mark
		}
		if h.Sequence == 0 { // the state
			continue
		}
		if size > natsengine.MaxPayload*2 {
			return fmt.Errorf("message %d: %w: %d bytes", h.Sequence, archive.ErrInvalidArchive, size)
		}
		buffer = append(buffer[:0], make([]byte, size)...)
		if _, err := io.ReadFull(archived, buffer); err != nil {
			return fmt.Errorf("message %d: %w", h.Sequence, err)
		}
		err = take(Record{
			Subject: h.Name, Header: buffer[:h.HeaderSize:h.HeaderSize], Data: buffer[h.HeaderSize:], Sequence: h.Sequence, Time: time.Unix(0, h.Timestamp).UTC(),
		})
		if err != nil {
			return err
		}
	}
}

// Streams returns the streams that a backup copies, in the order in which it does.
// Package backup says why it is this one.
func Streams(b *natsengine.Broker) []string {
	t := b.Topology()
	names := []string{
		"KV_" + topology.BucketPositions, "KV_" + topology.BucketControl,
		string(events.StreamDecisions), string(events.StreamSignals), string(events.StreamSegments), string(events.StreamInput), string(events.StreamTimers),
	}
	for _, intake := range t.Intakes {
		names = append(names, intake.Stream())
	}
	return append(names, string(events.StreamDeadLetter), "KV_"+topology.BucketRules)
}
