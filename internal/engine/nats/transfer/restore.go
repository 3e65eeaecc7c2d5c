package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/nats-io/nats-server/v2/server/archive"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

// The broker waits 5 s for more of a restore whose client was killed, and creates the stream
// meanwhile.
const (
	restoreTries = 40
	restorePause = 250 * time.Millisecond
)

// isThere reports whether the broker does not restore a stream because it exists.
func isThere(err error) bool {
	refused := (*apiError)(nil)
	return errors.As(err, &refused) && refused.ErrCode == streamIsThere
}

// streamIsThere is the broker's error for the restore of a stream that exists.
const streamIsThere = 10130

// RestoreStream creates a stream with the messages of a copy, their sequences and times
// included. The caller made sure that no such stream is to be kept. At is when the restore happens. All may be
// read more than once.
func RestoreStream(
	ctx context.Context, b *natsengine.Broker, a Archived, at time.Time, all iter.Seq2[Record, error],
) error {
	config, err := restoredConfig(b, a, at)
	if err != nil {
		return fmt.Errorf("restore stream %s: %w", a.Name, err)
	}
	for try := 0; ; try++ {
		if err = restoreOnce(ctx, b, a, config, all); !isThere(err) || try == restoreTries {
			break
		}
		if err = topology.RemoveStream(ctx, b.JetStream(), a.Name); err != nil {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(restorePause):
		}
	}
	if err != nil {
		return fmt.Errorf("restore stream %s: %w", a.Name, err)
	}
	return compareRestored(ctx, b, a)
}

// restoreOnce fails, see [isThere], where the rest of an interrupted restore became a stream, before it began or
// while it was sending.
func restoreOnce(
	ctx context.Context, b *natsengine.Broker, a Archived, config map[string]json.RawMessage,
	all iter.Seq2[Record, error],
) error {
	state := jetstream.StreamState{Msgs: a.Messages, Bytes: a.Bytes, FirstSeq: a.First, LastSeq: a.Last}
	var answer struct {
		Deliver string `json:"deliver_subject"`
	}
	request := map[string]any{"config": config, "state": state}
	if err := ask(ctx, b, "STREAM.RESTORE."+a.Name, request, &answer); err != nil {
		return err
	}
	return sendArchive(ctx, b, answer.Deliver, state, all)
}

// restoredConfig returns the configuration of a copy with the replicas of the topology and with
// metadata that say which stream it was.
func restoredConfig(b *natsengine.Broker, a Archived, at time.Time) (map[string]json.RawMessage, error) {
	config, metadata := map[string]json.RawMessage{}, map[string]string{}
	if err := json.Unmarshal(a.Config, &config); err != nil {
		return nil, fmt.Errorf("read its configuration: %w", err)
	}
	if raw, ok := config["metadata"]; ok {
		if err := json.Unmarshal(raw, &metadata); err != nil {
			return nil, fmt.Errorf("read its metadata: %w", err)
		}
	}
	for key := range metadata {
		if strings.HasPrefix(key, "_nats.") { // the broker's own
			delete(metadata, key)
		}
	}
	natsengine.NoteRestored(metadata, a.Created, a.Identity, a.Last, at)
	raw, err := json.Marshal(metadata)
	if err != nil {
		return nil, fmt.Errorf("write its metadata: %w", err)
	}
	config["metadata"] = raw
	config["num_replicas"] = json.RawMessage(strconv.Itoa(b.Topology().Replicas))
	if !strings.HasPrefix(a.Name, "KV_") {
		config["allow_direct"] = json.RawMessage(strconv.FormatBool(b.Topology().Replicas == 1))
	}
	return config, nil
}

// sendArchive sends an archive in the form of the broker.
func sendArchive(
	ctx context.Context, b *natsengine.Broker, to string, state jetstream.StreamState, all iter.Seq2[Record, error],
) error {
	inbox := b.Conn().NewInbox()
	sub, err := b.Conn().SubscribeSync(inbox)
	if err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	out := &chunks{ctx: ctx, nc: b.Conn(), to: to, inbox: inbox, answers: sub}
	compressed := s2.NewWriter(out)
	defer func() { _ = compressed.Close() }() // frees its goroutines where an error ended it
	w := archive.NewWriter(compressed)
	data, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("encode its state: %w", err)
	}
	err = w.WriteHeader(&archive.Header{Name: "state.json", Timestamp: time.Now().UnixNano(), PayloadSize: int64(len(data))})
	if err == nil {
		_, err = w.Write(data)
	}
	for r, readErr := range all {
		if err = errors.Join(err, readErr); err != nil {
			break
		}
		err = r.writeTo(w)
	}
	if err == nil {
		err = w.WriteHeader(&archive.Header{}) // the end mark
	}
	if err == nil {
		err = compressed.Close()
	}
	if err != nil {
		out.abandon()
		return err
	}
	return out.finish()
}

// compareRestored returns an error if the broker does not hold what the copy has.
func compareRestored(ctx context.Context, b *natsengine.Broker, a Archived) error {
	now, err := Look(ctx, b, a.Name)
	if err != nil {
		return err
	}
	if now.Last < a.Last {
		return fmt.Errorf("restore stream %s: it ends at %d, the backup at %d", a.Name, now.Last, a.Last)
	}
	return nil
}

// chunkSize and chunksAhead bound what is under way to the broker.
const (
	chunkSize   = 128 << 10
	chunksAhead = 32
)

// chunks sends what is written to it as chunks that the broker acknowledges.
type chunks struct {
	ctx       context.Context // of the whole transfer
	nc        *nats.Conn
	to, inbox string
	answers   *nats.Subscription
	ahead     int
}

func (c *chunks) Write(p []byte) (int, error) {
	for at := 0; at < len(p); at += chunkSize {
		if c.ahead == chunksAhead {
			if err := c.acknowledged(); err != nil {
				return at, err
			}
		}
		if err := c.nc.PublishRequest(c.to, c.inbox, p[at:min(at+chunkSize, len(p))]); err != nil {
			return at, fmt.Errorf("send to the broker: %w", err)
		}
		c.ahead++
	}
	return len(p), nil
}

// acknowledged waits for the answer to the oldest chunk.
func (c *chunks) acknowledged() error {
	m, err := nextWithin(c.ctx, c.answers, apiPatience)
	if err != nil {
		return fmt.Errorf("the broker acknowledges no more: %w", err)
	}
	c.ahead--
	if m.Header.Get("Status") != "" {
		return fmt.Errorf("the broker has given up: %s", m.Header.Get("Status"))
	}
	if len(m.Data) > 0 {
		return decodeAnswer(m.Data, nil)
	}
	return nil
}

// finish says that all was sent and waits until the stream exists.
func (c *chunks) finish() error {
	for c.ahead > 0 {
		if err := c.acknowledged(); err != nil {
			return err
		}
	}
	if err := c.nc.PublishRequest(c.to, c.inbox, nil); err != nil {
		return fmt.Errorf("send to the broker: %w", err)
	}
	m, err := nextWithin(c.ctx, c.answers, apiPatience)
	if err != nil {
		return fmt.Errorf("the broker does not say that the stream is restored: %w", err)
	}
	return decodeAnswer(m.Data, nil)
}

// abandon ends a transfer that cannot be finished, so that the broker does not wait for
// the rest.
func (c *chunks) abandon() { _ = c.nc.PublishRequest(c.to, c.inbox, nil) }
