package nats

import (
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Metadata of a stream that was restored from a backup (AU-41). The broker creates it
// again, with a time of its own.
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

// before returns which stream a restored one was, and through which sequence.
func before(info *jetstream.StreamInfo) (identity string, last uint64) {
	last, err := strconv.ParseUint(info.Config.Metadata[metaBeforeLast], 10, 64)
	if err != nil {
		return "", 0
	}
	return info.Config.Metadata[metaBefore], last
}

// NoteRestored sets in the metadata of a stream that is restored at a time what it was.
func NoteRestored(metadata map[string]string, created time.Time, identity string, last uint64, at time.Time) {
	metadata[metaCreated], metadata[metaRestored] = created.UTC().Format(time.RFC3339Nano), at.UTC().Format(time.RFC3339Nano)
	metadata[metaBefore], metadata[metaBeforeLast] = identity, strconv.FormatUint(last, 10)
}
