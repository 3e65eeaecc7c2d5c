package nats

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"golang.org/x/sync/singleflight"

	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Observer is notified of messages that are not accepted (EV-6).
type Observer interface {
	Skipped(stream string, partition int, reason string, sequence uint64)
}

// Keys are the nkeys by which checkpoints are signed and checked (EV-7).
type Keys struct {
	Own nkeys.KeyPair // signs what this process commits; nil: unsigned
	// Trusted are the public keys of each stage. Checkpoints of a stage without
	// any are accepted unsigned: that rejects stray messages such as PubAcks, but
	// not a forged checkpoint.
	Trusted map[string][]string
	// Revoked are public keys whose signatures no longer count from a time on (AU-3).
	Revoked map[string]time.Time
}

// Broker is a connection to a broker with a topology.
type Broker struct {
	js       jetstream.JetStream
	topology topology.Topology
	keys     Keys
	observer Observer
	build    buildinfo.Build // that writes
	ends     *ends

	mu     sync.Mutex
	stores map[events.Stream]*proof.Store
}

// Open returns a broker on a connection. Sources, sinks and readers need a
// provisioned topology. Observer may be nil.
func Open(nc *nats.Conn, t topology.Topology, keys Keys, observer Observer) (*Broker, error) {
	js, err := JetStream(nc)
	if err != nil {
		return nil, err
	}
	if observer == nil {
		observer = silent{}
	}
	return &Broker{
		js: js, topology: t.WithDefaults(), keys: keys, observer: observer, build: buildinfo.Current(), ends: newEnds(),
		stores: map[events.Stream]*proof.Store{},
	}, nil
}

type silent struct{}

func (silent) Skipped(string, int, string, uint64) {}

// JetStream returns the JetStream context in use.
func (b *Broker) JetStream() jetstream.JetStream { return b.js }

// Conn returns the connection in use.
func (b *Broker) Conn() *Conn { return b.js.Conn() }

// Topology returns the topology in use, with its defaults.
func (b *Broker) Topology() topology.Topology { return b.topology }

// StreamOf returns the stream that a stage writes. It fails for a name that is not that of a
// stage.
func StreamOf(name string) (events.Stream, error) {
	for _, stream := range []events.Stream{events.StreamSegments, events.StreamSignals, events.StreamDecisions} {
		if subjects.StageOf(stream) == name {
			return stream, nil
		}
	}
	return "", fmt.Errorf("no stage called %q writes a stream", name)
}

// Observed returns a broker on the same connection whose readers report to o what they do not
// accept.
func (b *Broker) Observed(o Observer) *Broker {
	return &Broker{
		js: b.js, topology: b.topology, keys: b.keys, observer: o, build: b.build, ends: b.ends,
		stores: map[events.Stream]*proof.Store{},
	}
}

// Verifier returns the verifier of a stage's checkpoints.
func (b *Broker) Verifier(name string) proof.Verifier {
	return proof.Verifier{Stage: name, Trusted: b.keys.Trusted[name], Revoked: b.keys.Revoked}
}

// As returns a broker on the same connection that records another build as its own.
func (b *Broker) As(build buildinfo.Build) *Broker {
	other := b.Observed(b.observer)
	other.build = build
	return other
}

// Observer returns who is notified of messages that are not accepted.
func (b *Broker) Observer() Observer { return b.observer }

// Keys returns the keys by which checkpoints are signed and checked.
func (b *Broker) Keys() Keys { return b.keys }

// Build returns the build that is recorded as the writer of what this process commits.
func (b *Broker) Build() buildinfo.Build { return b.build }

// LastSequence returns the last sequence of a stream, from a look at it that is at most ago
// old; with 0 it asks the broker. Callers that ask at the same time share one request.
func (b *Broker) LastSequence(ctx context.Context, stream events.Stream, ago time.Duration) (uint64, error) {
	store, err := b.Store(ctx, stream)
	if err != nil {
		return 0, err
	}
	return b.ends.of(ctx, store, stream, ago)
}

// Store returns what reads single messages of a stream. It fails if the stream does not exist.
func (b *Broker) Store(ctx context.Context, name events.Stream) (*proof.Store, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if known := b.stores[name]; known != nil {
		return known, nil
	}
	stream, err := b.js.Stream(ctx, string(name))
	if err != nil {
		return nil, fmt.Errorf("look up stream %s: %w", name, err)
	}
	b.stores[name] = proof.NewCurrentStore(stream, b.js)
	return b.stores[name], nil
}

// AllPartitions stands for a whole stream or bucket where a partition is asked for.
const AllPartitions = -1

// wrongSequence holds the broker's error codes for an expected sequence that is not the present
// one. A cluster returns the second where another write is still in progress.
var wrongSequence = map[jetstream.ErrorCode]bool{10071: true, 10164: true}

// Outdated reports whether the broker refused a write because another write was first.
func Outdated(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) && wrongSequence[refused.ErrorCode]
}

// ends caches the last sequences of streams: many readings of one stream wait at the same time
// and share a look at it.
type ends struct {
	asking singleflight.Group

	mu    sync.Mutex
	known map[events.Stream]end
}

type end struct {
	last   uint64
	looked time.Time
}

func newEnds() *ends { return &ends{known: map[events.Stream]end{}} }

// of returns the last sequence of a stream, from a look that is at most ago old; 0 asks the
// broker.
func (e *ends) of(ctx context.Context, s *proof.Store, stream events.Stream, ago time.Duration) (uint64, error) {
	if ago == 0 {
		state, err := s.State(ctx)
		return state.LastSeq, err
	}
	e.mu.Lock()
	known := e.known[stream]
	e.mu.Unlock()
	if time.Since(known.looked) < ago {
		return known.last, nil
	}
	last, err, _ := e.asking.Do(string(stream), func() (any, error) {
		now := time.Now()
		state, err := s.State(ctx)
		if err != nil {
			return uint64(0), err
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		e.known[stream] = end{last: state.LastSeq, looked: now}
		return state.LastSeq, nil
	})
	if err != nil {
		return 0, fmt.Errorf("look for the end: %w", err)
	}
	return last.(uint64), nil
}
