// Package read reads the streams of a broker. Any client can get foreign messages
// stored through the reply subject of its requests, so a [Reader] returns only what is in
// the span of a valid checkpoint (EV-6), and follows the chain that checkpoints form (EV-7).
//
// [All] and [Open] read the whole of a stage's stream or much of it, [About] what it holds of
// one session or run. [Each], [On], [UpTo] and [Scan] return what is stored without judging
// it; what they find proves nothing by itself.
package read

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// maxOpen bounds the messages that wait for their checkpoint. A batch has at most 1000, so of
// more the oldest belong to none.
const maxOpen = 1000

// Options select what to read of the stream that a stage writes.
type Options struct {
	Stage     string
	Partition int // or AllPartitions
	// Filters are the subjects wanted (events.SessionFilter …); none: all events.
	Filters []string
	// After resumes after the Anchor of an accepted event's position. If Head is
	// set and is not the digest of the checkpoint there, Reader returns ErrTruncated.
	After uint64
	Head  string
	// Latest starts after the last checkpoint instead: only new events are read.
	Latest bool
	// Raw events are not decoded: the record has nothing but the position and the type.
	Raw bool

	From Messages // that are read instead, from the beginning; nil: the stream
}

// Accepted is an event of a valid batch (EV-6).
type Accepted struct {
	engine.Record
	Subject   string
	Partition int
	Header    map[string][]string
	Stored    time.Time // when the stream stored it
}

// Reader reads what a stage committed and nothing else. It is used by one
// goroutine. It reports what it skips to the broker's observer.
type Reader struct {
	broker    *natsengine.Broker
	stream    events.Stream
	verifier  proof.Verifier
	partition int
	filtered  bool
	raw       bool
	store     *proof.Store
	feed      Messages
	start     uint64          // checkpoints below are looked up, not read
	cut       bool            // the stream's beginning has expired
	chains    map[int]*chain  // by partition
	seen      uint64          // the last message read, accepted or not
	until     uint64          // Next returns io.EOF once it has seen this message, 0: never
	anchor    engine.Position // of the last checkpoint read completely
	accepted  []Accepted      // not yet returned
	purged    purges
}

// chain is how far a partition's checkpoints have been followed.
type chain struct {
	fence uint64 // last message on the subject
	head  string // digest of the last valid checkpoint
	any   bool   // the link to the one before is unknown because it has expired
	open  []proof.Message

	internal []uint64 // sequences of skips and records
}

// Open starts a reader. It returns [ErrTruncated] (wrapped) if the stream is not the one in
// which the caller stopped.
func Open(ctx context.Context, b *natsengine.Broker, o Options) (*Reader, error) {
	stream, err := natsengine.StreamOf(o.Stage)
	if err != nil {
		return nil, err
	}
	store, err := b.Store(ctx, stream)
	if err != nil {
		return nil, err
	}
	r := &Reader{
		broker: b, stream: stream, verifier: b.Verifier(o.Stage), partition: o.Partition, filtered: len(o.Filters) > 0,
		raw: o.Raw, store: store, chains: map[int]*chain{},
	}
	if o.Latest {
		last, err := store.Last(ctx, r.checkpoints())
		if err != nil {
			return nil, err
		}
		if last != nil {
			o.After = last.Sequence
		}
	}
	r.start = o.After + 1
	r.anchor = engine.Position{Sequence: o.After, Anchor: o.After, Head: o.Head}
	if err := r.checkAnchor(ctx, o); err != nil {
		return nil, err
	}
	if r.feed = o.From; r.feed != nil {
		return r, nil
	}
	r.feed, err = Follow(ctx, b, stream, r.subjects(o), r.start)
	return r, err
}

// subjects returns the filters of what the reader needs, none for the whole stream: matching
// many filters costs the broker more than they save.
func (r *Reader) subjects(o Options) []string {
	if !r.filtered && o.Partition == natsengine.AllPartitions {
		return nil
	}
	if r.filtered {
		return append([]string{r.checkpoints()}, o.Filters...)
	}
	return PartitionFilters(r.stream, o.Partition)
}

// PartitionFilters returns the filters of what a stage commits in a partition of its stream.
func PartitionFilters(stream events.Stream, partition int) []string {
	stage, p := subjects.StageOf(stream), wildcard(partition)
	filters := []string{"ckpt." + stage + "." + p, "skip." + stage + "." + p + ".>"}
	for _, class := range subjects.Classes(stream) {
		filters = append(filters, class+"."+p+".>")
	}
	return append(filters, topology.Forwarded(stream)+".*.*."+p+".>")
}

// checkpoints returns the filter of the checkpoints that the reader follows.
func (r *Reader) checkpoints() string {
	return "ckpt." + r.verifier.Stage + "." + wildcard(r.partition)
}

func wildcard(partition int) string {
	if partition == natsengine.AllPartitions {
		return "*"
	}
	return strconv.Itoa(partition)
}

// checkAnchor returns an error if the stream does not hold the position that the caller kept
// (EV-7).
func (r *Reader) checkAnchor(ctx context.Context, o Options) error {
	state, err := r.store.State(ctx)
	if err != nil {
		return err
	}
	r.cut = state.FirstSeq > 1
	if state.LastSeq < o.After {
		return fmt.Errorf("%s ends at %d, but was read up to %d: %w", r.stream, state.LastSeq, o.After, ErrTruncated)
	}
	if o.Head == "" || o.After < state.FirstSeq {
		return nil
	}
	at, err := r.store.At(ctx, o.After)
	if err != nil {
		return err
	}
	if at == nil || proof.Head(at.Data) != o.Head {
		return fmt.Errorf("%s holds another checkpoint at %d than was read before: %w", r.stream, o.After, ErrTruncated)
	}
	return nil
}

// Next waits for an accepted event.
func (r *Reader) Next(ctx context.Context) (Accepted, error) {
	for {
		if a, ok := r.take(); ok {
			return a, nil
		}
		if r.until > 0 && r.seen >= r.until {
			return Accepted{}, io.EOF
		}
		m, err := r.feed.Next(ctx)
		if err != nil {
			return Accepted{}, err
		}
		if err := r.read(ctx, m); err != nil {
			return Accepted{}, err
		}
	}
}

// Ready returns an accepted event that has arrived, and false if there is none.
func (r *Reader) Ready(ctx context.Context) (Accepted, bool, error) {
	for {
		if a, ok := r.take(); ok {
			return a, true, nil
		}
		m, ok := r.feed.Ready()
		if !ok {
			return Accepted{}, false, nil
		}
		if err := r.read(ctx, m); err != nil {
			return Accepted{}, false, err
		}
	}
}

// Until makes [Reader.Next] return io.EOF after the message with a sequence was read.
func (r *Reader) Until(sequence uint64) { r.until = sequence }

// Start returns the sequence after which the reader began.
func (r *Reader) Start() uint64 { return r.start - 1 }

// Close ends the reader.
func (r *Reader) Close() { r.feed.Close() }

func (r *Reader) take() (Accepted, bool) {
	if len(r.accepted) == 0 {
		return Accepted{}, false
	}
	a := r.accepted[0]
	r.accepted = r.accepted[1:]
	return a, true
}

// ErrTruncated is returned (wrapped) by a reader when the stream ends before a
// place that was anchored outside of it, or holds something else there (EV-7).
var ErrTruncated = errors.New("the stream is not the one that was read before")

// All calls take with every accepted event that a stage had committed when it
// was called, in stream order. It returns take's error.
func All(ctx context.Context, b *natsengine.Broker, o Options, take func(Accepted) error) error {
	r, err := Open(ctx, b, o)
	if err != nil {
		return err
	}
	defer r.Close()
	last, err := r.store.Last(ctx, r.checkpoints())
	if err != nil || last == nil {
		return err
	}
	for at := r.start; at <= last.Sequence; at = r.seen + 1 {
		m, err := r.feed.Next(ctx)
		if err == nil {
			err = r.read(ctx, m)
		}
		if err != nil {
			return err
		}
		for a, ok := r.take(); ok; a, ok = r.take() {
			if a.Idle {
				continue
			}
			if err := take(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// Last returns the sequence of the last checkpoint that the stage has committed, 0
// for none. Once [Reader.Seen] reaches it, the reader has read what there was.
func (r *Reader) Last(ctx context.Context) (uint64, error) {
	last, err := r.store.Last(ctx, r.checkpoints())
	if err != nil || last == nil {
		return 0, err
	}
	return last.Sequence, nil
}

// Seen returns the sequence of the last message read, accepted or not.
func (r *Reader) Seen() uint64 { return r.seen }

// Drained reports whether all events of the commits read so far were returned.
func (r *Reader) Drained() bool { return len(r.accepted) == 0 }
