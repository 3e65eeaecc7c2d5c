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

	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// ErrTruncated is returned (wrapped) by a reader when the stream ends before a
// place that was anchored outside of it, or holds something else there (EV-7).
var ErrTruncated = errors.New("the stream is not the one that was read before")

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

	mu         sync.Mutex
	committers map[events.Stream]*committer
	stores     map[events.Stream]*store
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
		committers: map[events.Stream]*committer{}, stores: map[events.Stream]*store{},
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

// Provision creates what is missing of the topology and returns what differs, see
// [topology.ProvisionOwn].
func (b *Broker) Provision(ctx context.Context) ([]topology.Difference, error) {
	return topology.ProvisionOwn(ctx, b.js, b.topology)
}

// ProvisionAll is Provision with the copies of an agents' account, for an
// administrator.
func (b *Broker) ProvisionAll(ctx context.Context) ([]topology.Difference, error) {
	return topology.Provision(ctx, b.js, b.topology)
}

// AddSubjects upgrades the streams of an earlier version, see [topology.AddSubjects].
func (b *Broker) AddSubjects(ctx context.Context) (changed []string, err error) {
	return topology.AddSubjects(ctx, b.js, b.topology)
}

// Apply changes streams as far as nothing is lost, see [topology.Apply].
func (b *Broker) Apply(ctx context.Context) (changed []string, err error) {
	return topology.Apply(ctx, b.js, b.topology)
}

// Source returns the stream that a stage reads.
func (b *Broker) Source(name string) (engine.Source, error) {
	stream := subjects.SourceOf(name)
	if stream == "" {
		return nil, fmt.Errorf("no stage is called %q", name)
	}
	if stream == events.StreamInput {
		return &inputSource{broker: b}, nil
	}
	return &derivedSource{broker: b, stream: stream}, nil
}

// Sink returns the stream that a stage writes.
func (b *Broker) Sink(name string) (engine.Sink, error) {
	stream, err := streamOf(name)
	if err != nil {
		return nil, err
	}
	return &sink{broker: b, stage: name, stream: stream}, nil
}

// streamOf returns the stream that a stage writes.
func streamOf(name string) (events.Stream, error) {
	for _, stream := range []events.Stream{events.StreamSegments, events.StreamSignals, events.StreamDecisions} {
		if subjects.StageOf(stream) == name {
			return stream, nil
		}
	}
	return "", fmt.Errorf("no stage called %q writes a stream", name)
}

// Observed returns a broker on the same connection that reports to o what its
// readers do not accept.
func (b *Broker) Observed(o Observer) *Broker {
	return &Broker{
		js: b.js, topology: b.topology, keys: b.keys, observer: o, build: b.build, ends: b.ends,
		committers: map[events.Stream]*committer{}, stores: map[events.Stream]*store{},
	}
}

// Trusted returns the public keys of a stage, for readers outside this package.
func (b *Broker) Trusted(name string) []string { return b.keys.Trusted[name] }

// Revoked returns the keys that no longer count from a time on, for readers outside this package.
func (b *Broker) Revoked() map[string]time.Time { return b.keys.Revoked }

// verifier returns the verifier of a stage's checkpoints.
func (b *Broker) verifier(name string) proof.Verifier {
	return proof.Verifier{Stage: name, Trusted: b.keys.Trusted[name], Revoked: b.keys.Revoked}
}

func (b *Broker) committer(stream events.Stream) *committer {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.committers[stream] == nil {
		b.committers[stream] = &committer{js: b.js}
	}
	return b.committers[stream]
}
