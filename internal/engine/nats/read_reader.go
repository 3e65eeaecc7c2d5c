package nats

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// AllPartitions makes a reader read the whole stream.
const AllPartitions = -1

// maxOpen bounds the messages that wait for their checkpoint: a batch has at
// most 1000, so the oldest of more belong to none.
const maxOpen = 1000

// ReaderOptions select what to read of the stream that a stage writes.
type ReaderOptions struct {
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

	from messages // that are read instead, from the beginning
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
	broker    *Broker
	stream    events.Stream
	verifier  proof.Verifier
	partition int
	filtered  bool
	raw       bool
	store     *store
	feed      messages
	start     uint64          // checkpoints below are looked up, not read
	cut       bool            // the stream's beginning has expired
	chains    map[int]*chain  // by partition
	seen      uint64          // the last message read, accepted or not
	until     uint64          // Next returns io.EOF once it has seen this message, 0: never
	anchor    engine.Position // of the last checkpoint read completely
	accepted  []Accepted      // not yet returned
}

// chain is how far a partition's checkpoints have been followed.
type chain struct {
	fence uint64 // last message on the subject
	head  string // digest of the last valid checkpoint
	any   bool   // the link to the one before is unknown because it has expired
	open  []message

	internal []uint64 // sequences of skips and records
}

// Reader starts a reader.
func (b *Broker) Reader(ctx context.Context, o ReaderOptions) (*Reader, error) {
	stream, err := streamOf(o.Stage)
	if err != nil {
		return nil, err
	}
	store, err := b.store(ctx, stream)
	if err != nil {
		return nil, err
	}
	r := &Reader{
		broker: b, stream: stream, verifier: b.verifier(o.Stage), partition: o.Partition, filtered: len(o.Filters) > 0,
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
	if r.feed = o.from; r.feed != nil {
		return r, nil
	}
	r.feed, err = b.openFeed(ctx, stream, r.subjects(o), r.start)
	return r, err
}

// subjects returns the filters of what it reads. The whole stream is read without
// any: matching many filters costs the broker more than they save.
func (r *Reader) subjects(o ReaderOptions) []string {
	if !r.filtered && o.Partition == AllPartitions {
		return nil
	}
	filters := []string{r.checkpoints()}
	if r.filtered {
		return append(filters, o.Filters...)
	}
	p := wildcard(o.Partition)
	filters = append(filters, "skip."+r.verifier.Stage+"."+p+".>")
	for _, class := range subjects.Classes(r.stream) {
		filters = append(filters, class+"."+p+".>")
	}
	return append(filters, forwarded(r.stream)+".*.*."+p+".>")
}

// forwarded returns the first token of the subjects of forwarded events.
func forwarded(stream events.Stream) string { return strings.ToLower(string(stream)) }

// checkpoints returns the filter of the checkpoints it follows.
func (r *Reader) checkpoints() string {
	return "ckpt." + r.verifier.Stage + "." + wildcard(r.partition)
}

func wildcard(partition int) string {
	if partition == AllPartitions {
		return "*"
	}
	return strconv.Itoa(partition)
}

// checkAnchor compares the stream with the position that the caller kept (EV-7).
func (r *Reader) checkAnchor(ctx context.Context, o ReaderOptions) error {
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
		m, err := r.feed.next(ctx)
		if err != nil {
			return Accepted{}, err
		}
		if err := r.read(ctx, m); err != nil {
			return Accepted{}, err
		}
	}
}

// Ready is Next without waiting; it returns false when nothing is at hand.
func (r *Reader) Ready(ctx context.Context) (Accepted, bool, error) {
	for {
		if a, ok := r.take(); ok {
			return a, true, nil
		}
		m, ok := r.feed.ready()
		if !ok {
			return Accepted{}, false, nil
		}
		if err := r.read(ctx, m); err != nil {
			return Accepted{}, false, err
		}
	}
}

// Close ends the reader.
func (r *Reader) Close() { r.feed.close() }

func (r *Reader) take() (Accepted, bool) {
	if len(r.accepted) == 0 {
		return Accepted{}, false
	}
	a := r.accepted[0]
	r.accepted = r.accepted[1:]
	return a, true
}

// groupToken returns the group in an event's subject.
func groupToken(subject string) string {
	tokens := strings.Split(subject, ".")
	if len(tokens) < 2 {
		return ""
	}
	return tokens[len(tokens)-2]
}
