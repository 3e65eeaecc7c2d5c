// Package keep holds what runs beside a stage: heartbeats by which the instances of a stage
// share its partitions ([Members]), timers (EV-9, [Timers]), the bucket of applied rules
// (AU-12, [Rules]), and the mark that holds services back while a backup is restored.
package keep

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	natsproof "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Members sends heartbeats for an instance of a stage and returns a channel with the partitions
// assigned to it, now and after each change, for engine.Runner.Share. The channel is closed
// when ctx ends. While the broker is out of reach the last share stays, which the fence makes
// safe. Values of the bucket that are not heartbeats are reported to the observer and removed.
func Members(ctx context.Context, b *natsengine.Broker, name, instance string) (<-chan []int, error) {
	if !events.ValidID(instance) {
		return nil, fmt.Errorf("instance name %q: use 1 to 128 of the characters A-Z a-z 0-9 _ -", instance)
	}
	m := &member{broker: b, stage: name, instance: instance, shares: make(chan []int, 1), seen: map[string]time.Time{}}
	err := m.join(ctx)
	if err == nil {
		err = m.beat(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("join the instances of %s: %w", name, err)
	}
	go m.live(ctx, b.Topology().Beat)
	return m.shares, nil
}

// Beat sends heartbeats for an instance of a service that shares nothing with others, until ctx ends. It retries, and
// reports to failed each kind of error once. The bucket is looked up again after an error, since a restore creates it again.
func Beat(ctx context.Context, b *natsengine.Broker, name, instance string, failed func(error)) {
	m := &member{broker: b, stage: name, instance: instance}
	every, said := time.NewTicker(b.Topology().Beat), ""
	defer every.Stop()
	for {
		err := m.join(ctx)
		if err == nil {
			err = m.write(ctx)
		}
		if err != nil && ctx.Err() == nil {
			m.bucket = nil
			if err.Error() != said {
				said = err.Error()
				failed(err)
			}
		}
		select {
		case <-ctx.Done():
			m.leave(ctx)
			return
		case <-every.C:
		}
	}
}

type member struct {
	broker          *natsengine.Broker
	bucket          jetstream.KeyValue
	stage, instance string
	shares          chan []int
	last            []int
	seen            map[string]time.Time // when each instance's last heartbeat was read
}

func (m *member) key() string { return m.stage + "." + m.instance }

// claimed returns the name of a key in a claim.
func claimed(bucket, key string) string { return bucket + "." + key }

func (m *member) live(ctx context.Context, every time.Duration) {
	defer close(m.shares)
	beat := time.NewTicker(every)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			m.leave(ctx)
			return
		case <-beat.C:
			_ = m.beat(ctx) // the next one retries
		}
	}
}

// join opens the bucket unless it is open.
func (m *member) join(ctx context.Context) (err error) {
	if m.bucket == nil {
		m.bucket, err = m.broker.JetStream().KeyValue(ctx, topology.BucketMembers)
	}
	return err
}

// leave removes the heartbeat, so that others take over now, not after three heartbeats.
func (m *member) leave(ctx context.Context) {
	if m.bucket == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = m.bucket.Delete(ctx, m.key())
}

// write writes a heartbeat.
func (m *member) write(ctx context.Context) error {
	value, err := claim{Key: claimed(topology.BucketMembers, m.key())}.encode(m.broker.Keys().Own)
	if err != nil {
		return err
	}
	if _, err := m.bucket.Put(ctx, m.key(), value); err != nil {
		return fmt.Errorf("write a heartbeat: %w", err)
	}
	return nil
}

// beat writes a heartbeat and assigns partitions again.
func (m *member) beat(ctx context.Context) error {
	if err := m.write(ctx); err != nil {
		return err
	}
	instances, err := m.alive(ctx)
	if err != nil {
		return err
	}
	share := engine.Assign(m.instance, instances, m.broker.Topology().Partitions)
	if m.last != nil && slices.Equal(share, m.last) {
		return nil
	}
	if share == nil {
		share = []int{}
	}
	select {
	case <-m.shares: // one that was not read is outdated
	default:
	}
	m.shares <- share
	m.last = share
	return nil
}

// maxRemoved bounds the foreign keys that one beat removes. The rest expire by themselves.
const maxRemoved = 256

// alive returns the instances with a heartbeat, sorted. An instance whose heartbeat was
// overwritten by something else counts as alive until the next one is due.
func (m *member) alive(ctx context.Context) ([]string, error) {
	watcher, err := m.bucket.Watch(ctx, m.stage+".*", jetstream.IgnoreDeletes())
	if err != nil {
		return nil, fmt.Errorf("list the instances of %s: %w", m.stage, err)
	}
	defer func() { _ = watcher.Stop() }()
	now, alive, foreign := time.Now(), map[string]time.Time{}, []string{}
	for {
		var entry jetstream.KeyValueEntry
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case entry = <-watcher.Updates():
		}
		if entry == nil {
			break
		}
		instance := strings.TrimPrefix(entry.Key(), m.stage+".")
		_, err := readClaim(claimed(topology.BucketMembers, entry.Key()), entry.Value(), m.broker.Keys().Trusted[m.stage])
		switch last := m.seen[instance]; {
		case err == nil:
			alive[instance] = now
		case now.Sub(last) < 3*m.broker.Topology().Beat:
			alive[instance] = last
		}
		if err != nil {
			m.broker.Observer().Skipped(topology.BucketMembers, natsengine.AllPartitions, err.Error(), entry.Revision())
			foreign = append(foreign, entry.Key())
		}
	}
	m.seen = alive
	m.remove(ctx, foreign)
	return slices.Sorted(maps.Keys(alive)), nil
}

// remove deletes values that are not heartbeats, except where a live instance will write its
// own again.
func (m *member) remove(ctx context.Context, keys []string) {
	for _, key := range keys[:min(len(keys), maxRemoved)] {
		if _, alive := m.seen[strings.TrimPrefix(key, m.stage+".")]; !alive {
			_ = m.bucket.Purge(ctx, key) // the next beat finds it again
		}
	}
}

// claim is a value that a service writes into a bucket for services of its kind: a heartbeat,
// or how far it has read. A broker with one account for all can be made to store other values
// there, such as acknowledgements (EV-6). A claim differs from those: it names its key, has no
// other fields, and is signed where the stage has keys.
type claim struct {
	Key      string `json:"claim"`    // in its bucket, with the bucket's name
	Sequence uint64 `json:"sequence"` // for a position
	Stream   string `json:"stream"`   // identity of the stream that the sequence is of
	Signer   string `json:"signer,omitempty"`
	Proof    string `json:"proof,omitempty"`
}

// Reasons for which a value is not accepted.
var (
	errNoClaim = errors.New("not written by a service")
	errProof   = errors.New(natsproof.ReasonSignature)
)

// reason returns why a value is not accepted; nil is a value that cannot be true.
func reason(err error) string {
	if err == nil {
		err = errNoClaim
	}
	return err.Error()
}

// encode returns the stored form, signed if key is not nil.
func (c claim) encode(key nkeys.KeyPair) ([]byte, error) {
	c.Signer, c.Proof = "", ""
	if key == nil {
		return json.Marshal(c)
	}
	public, err := key.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("read the public part of the stage's key: %w", err)
	}
	c.Signer = public
	unsigned, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", c.Key, err)
	}
	proof, err := key.Sign(unsigned)
	if err != nil {
		return nil, fmt.Errorf("sign %s: %w", c.Key, err)
	}
	c.Proof = base64.RawURLEncoding.EncodeToString(proof)
	return json.Marshal(c)
}

// readClaim returns the claim that is stored under a key. It fails for any other value, and for
// one that is not signed by one of the stage's trusted keys if there are any.
func readClaim(key string, data []byte, trusted []string) (claim, error) {
	var c claim
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if strict.Decode(&c) != nil || c.Key != key {
		return c, errNoClaim
	}
	if canonical, err := json.Marshal(c); err != nil || !bytes.Equal(canonical, data) {
		return c, errNoClaim
	}
	if len(trusted) == 0 {
		return c, nil
	}
	unsigned := c
	unsigned.Proof = ""
	text, err := json.Marshal(unsigned)
	if err != nil || !slices.Contains(trusted, c.Signer) {
		return c, errProof
	}
	public, err := nkeys.FromPublicKey(c.Signer)
	if err != nil {
		return c, errProof
	}
	proof, err := base64.RawURLEncoding.DecodeString(c.Proof)
	if err != nil || public.Verify(text, proof) != nil {
		return c, errProof
	}
	return c, nil
}
