package vitals

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Write is a stream and a subject of it that a service writes.
type Write struct{ Stream, Subject string }

// probe is the name in the subjects of probes. It is not a partition, so nothing that a
// stage reads or an audit accounts for is on such a subject.
const probe = "probe"

// StageWrites returns what a stage writes: its own stream, and the timers that it sets.
func StageWrites(stage string) []Write {
	own := ""
	for _, stream := range []events.Stream{events.StreamSegments, events.StreamSignals, events.StreamDecisions} {
		if subjects.StageOf(stream) == stage {
			own = string(stream)
		}
	}
	return []Write{
		{own, "ckpt." + stage + "." + probe},
		{string(events.StreamTimers), strings.Join([]string{subjects.TimerSubject, stage, probe, probe, probe}, ".")},
	}
}

// InputWrite is a subject of INPUT with a class that the caller may publish.
func InputWrite(class string) Write {
	return Write{string(events.StreamInput), class + "." + probe + "." + probe}
}

// TryWrites asks the leaders of streams whether they would accept a write by this
// connection. Each gets a message with a condition that never holds, so it is checked
// like any other and then refused: nothing is stored.
func TryWrites(ctx context.Context, nc *nats.Conn, writes ...Write) []Fault {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var mu sync.Mutex // a denial follows what was denied: only one may be under way
	results := make([]*Fault, len(writes))
	var group sync.WaitGroup
	for i, w := range writes {
		group.Go(func() {
			m := nats.NewMsg(w.Subject)
			m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.Itoa(math.MaxInt64))
			m.Header.Set(jetstream.ExpectedStreamHeader, probe)
			if err := ask(ctx, nc, &mu, m); err != nil {
				f := unanswered(w.Stream, "write to "+w.Stream, err)
				results[i] = &f
			}
		})
	}
	group.Wait()
	var faults []Fault
	for _, f := range results {
		if f != nil {
			faults = append(faults, *f)
		}
	}
	return faults
}

// Store stores a message that replaces the one before it in the bucket POSITIONS, which
// is on the same disks, with as many replicas: space, quorum and limits are tried in
// earnest. Who names the writer. It returns [PermissionDenied] also for a user of an
// earlier nats.conf, which permits no probe.
func Store(ctx context.Context, nc *nats.Conn, who string) *Fault {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var mu sync.Mutex
	err := ask(ctx, nc, &mu, nats.NewMsg("$KV."+topology.BucketPositions+".alive."+who))
	if err == nil {
		return nil
	}
	f := unanswered("KV_"+topology.BucketPositions, "store a probe", err)
	return &f
}

// ask publishes a message and returns nil if the stream accepted it, or refused it for
// the condition of a probe.
func ask(ctx context.Context, nc *nats.Conn, mu *sync.Mutex, m *nats.Msg) error {
	m.Reply = nc.NewInbox()
	replies, err := nc.SubscribeSync(m.Reply)
	if err != nil {
		return fmt.Errorf("wait for an answer: %w", err)
	}
	defer func() { _ = replies.Unsubscribe() }()
	if err := publish(ctx, nc, mu, m); err != nil {
		return err
	}
	answer, err := replies.NextMsgWithContext(ctx)
	if err != nil {
		return err
	}
	var ack struct {
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(answer.Data, &ack); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	switch {
	case ack.Error == nil:
		return nil
	case ack.Error.ErrorCode == codeWrongLast, ack.Error.ErrorCode == codeWrongStream, ack.Error.ErrorCode == codeAheadOfOthers:
		return nil
	}
	return ack.Error
}

// publish sends a message and finds out whether the server denies its subject: that
// comes before the answer to a ping.
func publish(ctx context.Context, nc *nats.Conn, mu *sync.Mutex, m *nats.Msg) error {
	mu.Lock()
	defer mu.Unlock()
	before := nc.LastError() // stays after its cause is gone: only another one is about this message
	if err := nc.PublishMsg(m); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	if err := nc.FlushWithContext(ctx); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return deniedSince(nc, before, `"`+m.Subject+`"`)
}

// deniedSince returns the denial that the connection has met since its last error was before, if it is of a
// subject that begins like this.
func deniedSince(nc *nats.Conn, before error, subject string) error {
	err := nc.LastError()
	if err == before { //nolint:errorlint // the same value, not the same kind
		return nil
	}
	if !errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), subject) {
		return nil
	}
	return err
}
