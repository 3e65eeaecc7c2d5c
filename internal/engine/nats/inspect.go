package nats

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Inspection describes an installation as seen through a connection.
type Inspection struct {
	Version     string // of the server
	RoundTrip   time.Duration
	MaxPayload  int64
	ClockAhead  time.Duration // of this machine, compared with the server
	Replicas    int           // of INPUT
	StoreUsed   uint64        // bytes on disk, of the account
	StoreLimit  int64         // -1: none
	Differences []topology.Difference
	DeadLetters uint64
}

// Inspect reads the state of the server and the streams. It changes nothing.
func (b *Broker) Inspect(ctx context.Context, nc *nats.Conn) (Inspection, error) {
	i := Inspection{Version: nc.ConnectedServerVersion(), MaxPayload: nc.MaxPayload()}
	var err error
	if i.RoundTrip, err = nc.RTT(); err != nil {
		return i, fmt.Errorf("measure the round trip: %w", err)
	}
	account, err := b.js.AccountInfo(ctx)
	if err != nil {
		return i, fmt.Errorf("read the JetStream account (is JetStream on?): %w", err)
	}
	i.StoreUsed, i.StoreLimit = account.Store, account.Limits.MaxStore
	if i.Differences, err = topology.Check(ctx, b.js, b.topology); err != nil {
		return i, err
	}
	before := time.Now()
	if input, err := b.js.Stream(ctx, string(events.StreamInput)); err == nil {
		info := input.CachedInfo()
		i.Replicas = info.Config.Replicas
		middle := before.Add(time.Since(before) / 2)
		i.ClockAhead = middle.Sub(info.TimeStamp)
	}
	if dead, err := b.js.Stream(ctx, string(events.StreamDeadLetter)); err == nil {
		i.DeadLetters = dead.CachedInfo().State.Msgs
	}
	return i, nil
}

// IntakeState is how much of its limit an account has used.
type IntakeState struct {
	topology.Intake
	Messages uint64 // of the last window
	Waiting  uint64 // not copied to INPUT yet
}

// Full reports whether the limit is reached, so that the account's publishers are refused.
func (s IntakeState) Full() bool { return s.Messages >= uint64(s.Intake.Messages) }

// Intakes returns the state of each account whose publishers are limited.
func (b *Broker) Intakes(ctx context.Context) ([]IntakeState, error) {
	if len(b.topology.Intakes) == 0 {
		return nil, nil
	}
	input, err := b.js.Stream(ctx, string(events.StreamInput))
	if err != nil {
		return nil, fmt.Errorf("look up INPUT: %w", err)
	}
	waiting := map[string]uint64{}
	for _, source := range input.CachedInfo().Sources {
		waiting[source.Name] = source.Lag
	}
	out := make([]IntakeState, 0, len(b.topology.Intakes))
	for _, intake := range b.topology.Intakes {
		var stream jetstream.Stream
		if stream, err = b.js.Stream(ctx, intake.Stream()); err != nil {
			return nil, fmt.Errorf("look up %s: %w", intake.Stream(), err)
		}
		out = append(out, IntakeState{Intake: intake, Messages: stream.CachedInfo().State.Msgs, Waiting: waiting[intake.Stream()]})
	}
	return out, nil
}

// Metadata of a stream that was restored from a backup (AU-41): the broker creates it again,
// with a creation time of its own.
const (
	metaCreated    = "scaffoldwatch.created"     // when the stream was created first
	metaRestored   = "scaffoldwatch.restored"    // when it was restored last
	metaBefore     = "scaffoldwatch.before"      // identity that the stream had in the backup
	metaBeforeLast = "scaffoldwatch.before_last" // last sequence of the backup
)

// CreatedAt returns when a stream was created first. A restored stream has the messages
// and sequences of the one that was backed up, so anchors of that one fit it.
func CreatedAt(info *jetstream.StreamInfo) time.Time {
	if at, err := time.Parse(time.RFC3339Nano, info.Config.Metadata[metaCreated]); err == nil {
		return at
	}
	return info.Created
}

// IdentityOf distinguishes a stream from another of the same name. It changes with a
// restore: what was read of the history after the backup is no longer there.
func IdentityOf(info *jetstream.StreamInfo) string {
	identity := CreatedAt(info).UTC().Format(time.RFC3339Nano)
	if restored := info.Config.Metadata[metaRestored]; restored != "" {
		identity += "/" + restored // without spaces, see control.Origin
	}
	return identity
}

// before returns the identity that a restored stream had in its backup, and the last sequence
// that both have in common; "" and 0 for a stream that was not restored.
func before(info *jetstream.StreamInfo) (identity string, last uint64) {
	last, err := strconv.ParseUint(info.Config.Metadata[metaBeforeLast], 10, 64)
	if err != nil {
		return "", 0
	}
	return info.Config.Metadata[metaBefore], last
}

// NoteRestored records in the metadata of a stream, which is restored at a time, which stream
// it was in the backup.
func NoteRestored(metadata map[string]string, created time.Time, identity string, last uint64, at time.Time) {
	metadata[metaCreated], metadata[metaRestored] = created.UTC().Format(time.RFC3339Nano), at.UTC().Format(time.RFC3339Nano)
	metadata[metaBefore], metadata[metaBeforeLast] = identity, strconv.FormatUint(last, 10)
}

// Extent describes the stream that a stage writes.
type Extent struct {
	// Identity changes when the stream is removed and created again.
	Identity string
	// First and Last are the sequences it holds. A First above 1 means that the
	// beginning has expired.
	First, Last uint64
	// Before is the identity that a restored stream had when it was backed up. Through
	// BeforeLast the two are the same.
	Before     string
	BeforeLast uint64
}

// Holds reports whether a sequence that was read from the stream with an identity is valid in
// this one.
func (e Extent) Holds(identity string, sequence uint64) bool {
	return identity == e.Identity || identity == e.Before && sequence <= e.BeforeLast
}

// Extent returns the extent of the stream that a stage writes.
func (b *Broker) Extent(ctx context.Context, stage string) (Extent, error) {
	stream, err := StreamOf(stage)
	if err != nil {
		return Extent{}, err
	}
	store, err := b.Store(ctx, stream)
	if err != nil {
		return Extent{}, err
	}
	info, err := store.Stream.Info(ctx)
	if err != nil {
		return Extent{}, fmt.Errorf("look up stream %s: %w", stream, err)
	}
	e := Extent{Identity: IdentityOf(info), First: info.State.FirstSeq, Last: info.State.LastSeq}
	e.Before, e.BeforeLast = before(info)
	return e, nil
}
