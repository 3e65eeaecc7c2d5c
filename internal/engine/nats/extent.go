package nats

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

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
