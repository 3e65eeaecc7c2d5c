package vitals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Kind is what is wrong, from a closed set: the first word of a reason in /readyz, a
// label of metrics and a heading of docs/runbook.md.
type Kind string

// Kinds.
const (
	NoAnswer         Kind = "no_answer"          // JetStream answers no request
	ServerSilent     Kind = "server_silent"      // the server of this connection answers no ping
	NoLeader         Kind = "no_leader"          // of a stream
	NoQuorum         Kind = "no_quorum"          // the leader reaches no majority
	ReplicaBehind    Kind = "replica_behind"     // a replica is not current
	StreamMissing    Kind = "stream_missing"     // or another stream has its subjects
	ForeignStream    Kind = "foreign_stream"     // of the name, but made for something else
	ReadOnly         Kind = "read_only"          // sealed
	StreamFull       Kind = "stream_full"        // at its limit, accepts no more
	StreamNearlyFull Kind = "stream_nearly_full" // four fifths of its limit
	StoreFull        Kind = "store_full"         // the account is at its limit
	DiskFull         Kind = "disk_full"          // writes fail for lack of space
	DiskLow          Kind = "disk_low"           // little space is left
	PermissionDenied Kind = "permission_denied"  // the broker denies this user a subject
	WriteRefused     Kind = "write_refused"      // for any other reason
	ConsumerLimit    Kind = "consumer_limit"     // no further reader is admitted
	WrongReplicas    Kind = "wrong_replicas"     // other than configured
	WrongCompression Kind = "wrong_compression"  // other than configured
	ClockOff         Kind = "clock_off"          // of this machine against the broker's
	OldServer        Kind = "old_server"         // without atomic batches
)

// Kinds returns all kinds, in the order of the documentation.
func Kinds() []Kind {
	return []Kind{
		NoAnswer, ServerSilent, NoLeader, NoQuorum, ReplicaBehind, StreamMissing, ForeignStream, ReadOnly,
		StreamFull, StreamNearlyFull, StoreFull, DiskFull, DiskLow,
		PermissionDenied, WriteRefused, ConsumerLimit, WrongReplicas, WrongCompression, ClockOff, OldServer,
	}
}

// Fails reports whether a service with such a fault cannot do its work or soon loses
// data by it, so that it is not ready. Other kinds only warn.
func (k Kind) Fails() bool {
	switch k {
	case StreamNearlyFull, DiskLow, WrongReplicas, WrongCompression, ClockOff:
		return false
	}
	return true
}

// Fault is one thing that is wrong.
type Fault struct {
	Kind   Kind
	Stream string // "" where it is none's
	Text   string
}

// Error returns the kind and the text.
func (f Fault) Error() string { return string(f.Kind) + ": " + f.Text }

// Degraded reports whether the service works nonetheless.
func (f Fault) Degraded() bool { return !f.Kind.Fails() }

// The broker's error codes that say what is wrong. The client library has no names for them.
const (
	codeNotFound      jetstream.ErrorCode = 10059 // stream not found
	codeResources     jetstream.ErrorCode = 10023 // insufficient resources
	codeStorage       jetstream.ErrorCode = 10047 // insufficient storage resources available
	codeNotAvailable  jetstream.ErrorCode = 10008 // JetStream system temporarily unavailable
	codeMaxConsumers  jetstream.ErrorCode = 10026 // maximum consumers limit reached
	codeOffline       jetstream.ErrorCode = 10118 // stream is offline
	codeSealed        jetstream.ErrorCode = 10109 // invalid operation on sealed stream
	codeStoreFailed   jetstream.ErrorCode = 10077 // the store's own error
	codeAccountLimit  jetstream.ErrorCode = 10002 // resource limits exceeded for account
	codeWrongLast     jetstream.ErrorCode = 10071 // wrong last sequence
	codeWrongStream   jetstream.ErrorCode = 10060 // expected stream does not match
	codeAheadOfOthers jetstream.ErrorCode = 10164 // wrong last sequence, another write is ahead
)

var byCode = map[jetstream.ErrorCode]Kind{
	codeNotFound: StreamMissing, codeResources: DiskFull, codeStorage: DiskFull, codeNotAvailable: NoQuorum, codeMaxConsumers: ConsumerLimit,
	codeOffline: NoLeader, codeSealed: ReadOnly, codeAccountLimit: StoreFull,
}

// Classify returns the kind of an error of the broker; ok is false for one that says
// nothing about it.
func Classify(err error) (kind Kind, ok bool) {
	var refused *jetstream.APIError
	switch {
	case err == nil:
		return "", false
	case errors.As(err, &refused):
		if kind, ok = byCode[refused.ErrorCode]; ok {
			return kind, true
		}
		if refused.ErrorCode == codeStoreFailed {
			return storeFailed(refused.Description), true
		}
		return "", false
	case errors.Is(err, nats.ErrPermissionViolation):
		return PermissionDenied, true
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return NoAnswer, true
	}
	return "", false
}

// storeFailed distinguishes the errors of the store of a stream, which share one code.
func storeFailed(description string) Kind {
	switch {
	case strings.Contains(description, "maximum"): // bytes or messages exceeded
		return StreamFull
	case strings.Contains(description, "no space"):
		return DiskFull
	}
	return WriteRefused
}

// Explained prefixes the error of a stage with its kind, where the broker's answer has one.
func Explained(err error) error {
	var known Fault
	if kind, ok := Classify(err); ok && !errors.As(err, &known) {
		return fmt.Errorf("%s: %w%s", kind, err, remains(err))
	}
	return err
}

// remains says of a failed write of a store that it is remembered: nats-server returns the same
// error for each later write of the stream, also when there is room again (its fileStore keeps the
// first one), so the text alone would send a person to look at a disk that is fine.
func remains(err error) string {
	var refused *jetstream.APIError
	if !errors.As(err, &refused) || refused.ErrorCode != codeStoreFailed || storeFailed(refused.Description) == StreamFull {
		return ""
	}
	return "; nats-server refuses every write of this stream from then on until it is restarted, also when the cause is gone"
}

// unanswered returns the fault of a request that was not answered or answered with an error.
func unanswered(stream, what string, err error) Fault {
	kind, ok := Classify(err)
	switch {
	case ok:
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return Fault{NoLeader, stream, fmt.Sprintf("%s: nobody answers for %s: it has no leader, or its leader is out of reach", what, stream)}
	default:
		kind = WriteRefused
	}
	return Fault{kind, stream, fmt.Sprintf("%s: %v%s", what, err, remains(err))}
}

// Silent returns the fault of a server that answers no ping though the connection to it stands:
// its process is frozen, or the network swallows what is sent. Streams seem to have no leader
// then, whatever is true of them. It returns nil where the server answers, and without a
// connection, whose owner reports that.
func Silent(ctx context.Context, nc *nats.Conn) *Fault {
	if !nc.IsConnected() {
		return nil
	}
	server, address := nc.ConnectedServerName(), nc.ConnectedUrlRedacted()
	asked, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := nc.FlushWithContext(asked); err == nil || ctx.Err() != nil || !nc.IsConnected() {
		return nil
	}
	return &Fault{ServerSilent, "", fmt.Sprintf(
		"%s (%s) keeps the connection open and answers no ping: it is frozen or cut off; within 20 s of "+
			"its last answer "+
			"another server is tried", server, address)}
}

// Hear asks the server of the connection whether it is there, where nobody answered for a stream.
// A silent server is then the one fault that is known: what its streams seem to lack is left out.
func (f *Found) Hear(ctx context.Context, nc *nats.Conn) (silent *Fault) {
	if !slices.ContainsFunc(f.All(), unheard) {
		return nil
	}
	if silent = Silent(ctx, nc); silent == nil {
		return nil
	}
	for i := range f.Streams {
		f.Streams[i].Faults = slices.DeleteFunc(f.Streams[i].Faults, unheard)
	}
	f.Faults = append(slices.DeleteFunc(f.Faults, unheard), *silent)
	return silent
}

func unheard(f Fault) bool { return f.Kind == NoLeader || f.Kind == NoAnswer }

// From here on there is less room than is good: for readiness, `scaffoldwatch doctor`
// and the alert rules alike.
const (
	// NearlyFull is the share of its limit that a stream or an account's storage holds.
	NearlyFull = 0.8
	// LowShare and LowBytes are what is free of a disk: less than both.
	LowShare = 0.1
	LowBytes = 1 << 30
)

// Filled returns the larger share of its limits that something holds; a limit of nothing,
// or less, is none.
func Filled(bytes uint64, maxBytes int64, messages uint64, maxMessages int64) float64 {
	share := func(held uint64, limit int64) float64 {
		if limit <= 0 {
			return 0
		}
		return float64(held) / float64(limit)
	}
	return max(share(bytes, maxBytes), share(messages, maxMessages))
}

// Room returns the fault of a disk of size bytes with so many free: [DiskFull] where the
// broker refuses writes and hardly anything is free, nil where there is enough.
func Room(free, size uint64, refused bool) *Fault {
	low := free < LowBytes && float64(free) < LowShare*float64(size)
	text := fmt.Sprintf("%d MiB of %d MiB are free on the disk of the streams", free>>20, size>>20)
	switch {
	case low && refused:
		return &Fault{DiskFull, "", text + ", and nothing more is accepted: free some, then restart the server"}
	case low:
		return &Fault{DiskLow, "", text}
	}
	return nil
}

// Broken returns the fault of a server that said that its storage failed.
func Broken(said string) Fault {
	kind := WriteRefused
	if low := strings.ToLower(said); strings.Contains(low, "no space") || strings.Contains(low, "resources") {
		kind = DiskFull
	}
	return Fault{kind, "", said + ": free space where the streams are, then start the server again; until then it " +
		"refuses writes, also when there is room"}
}
