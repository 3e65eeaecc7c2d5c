package chain

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// examined is a message with everything that can be determined without the messages before it.
type examined struct {
	proof.Message
	partition  int // in its subject
	hash       [32]byte
	typ        string
	ends       bool              // its subject is that of checkpoints
	checkpoint *proof.Checkpoint // nil if it does not have the form of a checkpoint
	head       string            // its digest
	reason     string            // why it is not a valid checkpoint
}

// Messages are examined in chunks of this many messages or bytes, to limit the memory that the chunks in
// progress need.
const (
	chunkMessages = 1024
	chunkBytes    = 4 << 20
)

// examiner determines what it can about a stream's messages without those before them.
type examiner struct {
	stage      string // that writes the stream
	partitions int
	trusted    []string // keys of the stage, none if any signature counts
	chunk      int      // messages of one
}

func newExaminer(o Options, stage string) examiner {
	return examiner{stage, o.Partitions, o.Keys.Trusted[stage], cmp.Or(o.Chunk, chunkMessages)}
}

type chunk struct {
	messages []proof.Message
	bytes    int
	done     chan []examined
}

func newChunk(size int) *chunk {
	return &chunk{messages: make([]proof.Message, 0, size), done: make(chan []examined, 1)}
}

// ahead reads a stream, examines its messages on all cores, and calls take with them in order. Hashes and
// signatures cost more than reading, and only take depends on the order.
func (x *examiner) ahead(ctx context.Context, from Source, of proof.Stream, take func(examined)) error {
	group, ctx := errgroup.WithContext(ctx)
	queue := make(chan *chunk, runtime.GOMAXPROCS(0)+1) // in order; its capacity limits the chunks in progress
	group.Go(func() error {
		defer close(queue)
		return x.chunks(ctx, from, of, queue)
	})
	group.Go(func() error {
		for c := range queue {
			select {
			case found := <-c.done:
				for _, m := range found {
					take(m)
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	return group.Wait()
}

// chunks reads the stream and starts examining each chunk.
func (x *examiner) chunks(ctx context.Context, from Source, of proof.Stream, queue chan<- *chunk) error {
	next := newChunk(x.chunk)
	send := func() error {
		c := next
		next = newChunk(x.chunk)
		select {
		case queue <- c:
		case <-ctx.Done():
			return ctx.Err()
		}
		go func() { c.done <- x.examine(c.messages) }()
		return nil
	}
	err := from.Each(ctx, of.Name, of.Last, func(m proof.Message) error {
		next.messages = append(next.messages, m)
		if next.bytes += len(m.Data); len(next.messages) < x.chunk && next.bytes < chunkBytes {
			return nil
		}
		return send()
	})
	if err != nil {
		return err
	}
	return send()
}

// examine hashes messages and opens checkpoints.
func (x *examiner) examine(messages []proof.Message) []examined {
	all := make([]examined, len(messages))
	for i, m := range messages {
		e := &all[i]
		e.Message = m
		if e.partition, e.ends = place(m.Subject); e.partition < 0 || e.partition >= x.partitions {
			continue
		}
		if e.ends && m.Subject != subjects.CheckpointSubject(x.stage, e.partition) {
			e.partition = -1 // readers use only that subject, and no digest covers it
			continue
		}
		if e.ends {
			e.checkpoint, e.reason = proof.Verifier{Stage: x.stage}.Open(e.partition, m.Data)
			e.head = proof.Head(m.Data)
			continue
		}
		e.hash, e.typ = m.Hash(), typeOf(m)
	}
	x.signatures(all)
	return all
}

// signatures checks who signed the checkpoints of a chunk. A valid signature vouches for the checkpoint
// that it names as its predecessor, including that one's signature: if both are by one key, the
// predecessor's own need not be checked.
func (x *examiner) signatures(all []examined) {
	later := map[int]*examined{}
	for i := range slices.Backward(all) {
		e := &all[i]
		if e.checkpoint == nil {
			continue
		}
		next := later[e.partition]
		vouched := next != nil && next.reason == "" && next.checkpoint.Previous == e.head && next.checkpoint.Key == e.checkpoint.Key
		if !vouched {
			e.reason = x.unsigned(e.checkpoint)
		}
		later[e.partition] = e
	}
}

// Source is the record to verify: a running system, or a copy of its streams.
type Source interface {
	// Stream describes a stream. A later call sees at least what an earlier one saw.
	Stream(ctx context.Context, name events.Stream) (proof.Stream, error)
	// Each calls take, in order, for each message kept up to and including a sequence.
	Each(ctx context.Context, name events.Stream, through uint64, take func(proof.Message) error) error
}

// Keys are the keys whose signatures count.
type Keys struct {
	// Trusted maps each stage to its public keys. Without any, the stage's checkpoints are checked for
	// consistency only (AU-4).
	Trusted map[string][]string
	// Revoked maps keys to their revocation; their signatures count only for what was stored before.
	Revoked map[string]time.Time
}

// Options configure a verification.
type Options struct {
	Partitions int
	Keys       Keys
	Anchors    []Anchor
	// Chunk is how many messages are examined together; 0 means 1024.
	Chunk int
	// Progress, if not nil, is called now and then with the number of messages read.
	Progress func(stream events.Stream, read, of uint64)
}

// State returns in a word whether and how a key's signatures in a stream count.
func (k Keys) State(name events.Stream, key string) string {
	trusted := k.Trusted[subjects.StageOf(name)]
	switch _, revoked := k.Revoked[key]; {
	case revoked:
		return "revoked"
	case len(trusted) == 0:
		return "not checked"
	case slices.Contains(trusted, key):
		return "trusted"
	}
	return "not trusted"
}

// All reports whether a key of each stage is trusted, so that everything that verifies is authentic.
func (k Keys) All() bool {
	for _, name := range Streams {
		if len(k.Trusted[subjects.StageOf(name)]) == 0 {
			return false
		}
	}
	return true
}
