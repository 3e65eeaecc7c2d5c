package read

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// read handles one message: it waits for its checkpoint, or, if it is one, ends a batch.
func (r *Reader) read(ctx context.Context, m proof.Message) error {
	r.seen = m.Sequence
	if strings.HasPrefix(m.Subject, "snap.") {
		return nil // internal to the stage; seen when the whole stream is read
	}
	if strings.HasPrefix(m.Subject, "skip.") {
		return r.internal(ctx, m)
	}
	partition, isCheckpoint := proof.Partition(m.Subject)
	if partition < 0 || partition >= r.broker.Topology().Partitions {
		r.skip(natsengine.AllPartitions, proof.ReasonOutside, m)
		return nil
	}
	chain, err := r.chain(ctx, partition)
	if err != nil {
		return err
	}
	if isCheckpoint {
		return r.close(ctx, chain, partition, m)
	}
	if len(chain.open) == maxOpen {
		r.skip(partition, proof.ReasonOutside, chain.open[0])
		chain.open = chain.open[1:]
	}
	chain.open = append(chain.open, m)
	return nil
}

// internal notes a skip or a record: an output of its batch that is not an event.
func (r *Reader) internal(ctx context.Context, m proof.Message) error {
	tokens := strings.SplitN(m.Subject, ".", 4)
	partition, err := strconv.Atoi(tokens[min(2, len(tokens)-1)])
	if err != nil || partition < 0 || partition >= r.broker.Topology().Partitions {
		return nil
	}
	chain, err := r.chain(ctx, partition)
	if err == nil {
		chain.internal = append(chain.internal, m.Sequence)
	}
	return err
}

// close ends a batch at a message on a checkpoint's subject. If that is not the
// valid next checkpoint, the waiting messages belong to no batch: a batch's
// messages are contiguous.
func (r *Reader) close(ctx context.Context, chain *chain, partition int, m proof.Message) error {
	c, reason := r.verifier.Read(partition, &m)
	if reason == "" {
		if err := r.missedCheckpoint(ctx, chain, partition, c, m); err != nil {
			return err
		}
		reason = chain.follow(c)
	}
	if reason == "" && !r.filtered {
		if err := r.missedOutputs(ctx, chain, c, m.Sequence); err != nil {
			return err
		}
	}
	var hashes [][32]byte
	if reason == "" {
		hashes = hashesOf(chain.open, m.Sequence-uint64(c.Count))
		if !r.filtered && r.altered(chain, c, m.Sequence, hashes) {
			reason = proof.ReasonContent
		}
	}
	chain.fence = m.Sequence
	open, internal := chain.open, chain.internal
	chain.open, chain.internal = nil, nil
	if reason != "" {
		r.skip(partition, reason, m)
		for _, waiting := range open {
			r.skip(partition, proof.ReasonOutside, waiting)
		}
		return nil
	}
	chain.head, chain.any = proof.Head(m.Data), false
	before := len(r.accepted)
	found := r.accept(c, partition, m, open, hashes, internal)
	r.anchored(partition, m.Sequence, chain.head, before)
	if r.filtered || len(found) >= c.Outputs {
		return nil
	}
	return r.lacking(ctx, c, partition, m, found)
}

// lacking reports a batch of which messages are gone, unless an operator erased them.
func (r *Reader) lacking(
	ctx context.Context, c *proof.Checkpoint, partition int, m proof.Message, found []uint64,
) error {
	var missing []uint64
	first := m.Sequence - uint64(c.Count)
	for sequence := first; sequence < first+uint64(c.Outputs); sequence++ {
		if !slices.Contains(found, sequence) {
			missing = append(missing, sequence)
		}
	}
	purged, err := r.purged.explain(ctx, r.broker, r.stream, missing)
	if err == nil && !purged {
		r.skip(partition, proof.ReasonErased, m)
	}
	return err
}

// hashesOf returns the hashes of the messages from a sequence on; those before stay zero. Both
// the digest and the marks are checked against them.
func hashesOf(open []proof.Message, first uint64) [][32]byte {
	hashes := make([][32]byte, len(open))
	for i := range open {
		if open[i].Sequence >= first {
			hashes[i] = open[i].Hash()
		}
	}
	return hashes
}

// follow returns why a checkpoint does not come after the last one, "" if it does.
func (c *chain) follow(next *proof.Checkpoint) string {
	switch {
	case next.Fence != c.fence && !c.any:
		return proof.ReasonCopied
	case next.Previous != c.head && !c.any:
		return proof.ReasonChain
	}
	return ""
}

// altered reports whether all outputs of the batch are there but do not match its
// digest. If some were erased, the marks check the others.
func (r *Reader) altered(chain *chain, c *proof.Checkpoint, own uint64, hashes [][32]byte) bool {
	first := own - uint64(c.Count)
	var outputs [][32]byte
	for i := range chain.open {
		if at := chain.open[i].Sequence; at >= first && at < first+uint64(c.Outputs) {
			outputs = append(outputs, hashes[i])
		}
	}
	return len(outputs) == c.Outputs && proof.Digest(outputs) != c.Digest
}

// accept queues the messages of a batch that match their hashes, and reports the others. It returns the sequences of
// the outputs that are there.
func (r *Reader) accept(
	c *proof.Checkpoint, partition int, m proof.Message, open []proof.Message, hashes [][32]byte, internal []uint64,
) (found []uint64) {
	found = make([]uint64, 0, c.Outputs)
	first := m.Sequence - uint64(c.Count)
	for _, sequence := range internal {
		if sequence >= first {
			found = append(found, sequence)
		}
	}
	for i, waiting := range open {
		switch {
		case waiting.Sequence < first:
			r.skip(partition, proof.ReasonOutside, waiting)
		case !c.Fits(m.Sequence, waiting.Sequence, hashes[i]):
			r.skip(partition, proof.ReasonContent, waiting)
		default:
			found = append(found, waiting.Sequence)
			r.hand(partition, waiting)
		}
	}
	return found
}

// anchored makes a checkpoint the anchor of what comes next and of the last message queued of
// its batch. If nothing of the batch was queued, it queues a bare position.
func (r *Reader) anchored(partition int, sequence uint64, head string, queued int) {
	if r.partition == natsengine.AllPartitions {
		head = "" // the anchor may belong to any of them
	}
	r.anchor = engine.Position{Sequence: sequence, Anchor: sequence, Head: head}
	if last := len(r.accepted) - 1; last >= queued {
		r.accepted[last].Position.Anchor, r.accepted[last].Position.Head = r.anchor.Anchor, r.anchor.Head
		return
	}
	r.accepted = append(r.accepted, Accepted{
		Partition: partition, Record: engine.Record{Idle: true, Position: r.anchor},
	})
}

func (r *Reader) hand(partition int, m proof.Message) {
	record := r.decoded(m)
	record.Position = engine.Position{Sequence: m.Sequence, Anchor: r.anchor.Anchor, Head: r.anchor.Head}
	if record.Fault == "" && !subjects.Fits(record.Input.Event.Type, m.Subject) {
		r.skip(partition, proof.ReasonType, m)
		return
	}
	r.accepted = append(r.accepted, Accepted{
		Record: record, Subject: m.Subject, Partition: partition, Header: m.Header, Stored: m.Time,
	})
}

// decoded returns the record of a message, only with its type if the reader is raw.
func (r *Reader) decoded(m proof.Message) engine.Record {
	if typ := m.Header.Get("ce-type"); r.raw && typ != "" {
		return engine.Record{
			Stream: string(r.stream), Data: m.Data, Input: step.Input{Event: events.Event{Type: events.Type(typ)}},
		}
	}
	record, _ := Decode(r.stream, m)
	return record
}

func (r *Reader) skip(partition int, reason string, m proof.Message) {
	r.broker.Observer().Skipped(string(r.stream), partition, reason, m.Sequence)
}

// chain returns how far a partition's checkpoints were followed. The first time, it is looked
// up where the reader started.
func (r *Reader) chain(ctx context.Context, partition int) (*chain, error) {
	if known := r.chains[partition]; known != nil {
		return known, nil
	}
	found := &chain{}
	if r.start > 1 {
		_, at, fence, err := proof.LastCheckpoint(ctx, r.store, r.verifier, partition, r.start)
		if err != nil {
			return nil, fmt.Errorf("find the end of the chain of %s partition %d: %w", r.verifier.Stage, partition, err)
		}
		found.fence = fence
		if at != nil {
			found.head = proof.Head(at.Data)
		}
	}
	found.any = found.head == "" && r.cut
	r.chains[partition] = found
	return found, nil
}

// Decode returns the record of a message in any stream, and its parsed subject. What cannot be
// decoded is the fault of the record.
func Decode(stream events.Stream, m proof.Message) (engine.Record, subjects.Subject) {
	record := engine.Record{Stream: string(stream), Data: m.Data, Input: step.Input{Arrived: m.Time}}
	subject, err := subjects.ParseSubject(m.Subject)
	if err != nil {
		record.Fault = err.Error()
	}
	record.Group = topology.GroupOf(m.Subject)
	ev, err := events.DecodeMessage(m.Header, m.Data)
	if err != nil && record.Fault == "" {
		record.Fault = err.Error()
	}
	record.Input.Event = ev
	return record, subject
}

// A busy nats-server 2.15 can skip messages that were stored a moment before: a consumer
// that waited at the end of the stream gets the rest of a batch without its first event
// (TestACutHeadIsNotAgedOut shows it on one processor with other work). Checkpoints say what
// there is, so whatever is missing is asked for by its sequence before it counts as erased.

// missedCheckpoint closes the batch before this one if its checkpoint is stored but was not
// delivered.
func (r *Reader) missedCheckpoint(
	ctx context.Context, chain *chain, partition int, c *proof.Checkpoint, own proof.Message,
) error {
	if chain.any || c.Fence <= chain.fence || c.Fence >= own.Sequence {
		return nil
	}
	before, err := r.store.At(ctx, c.Fence)
	if err != nil {
		return fmt.Errorf("look for the checkpoint before %d: %w", own.Sequence, err)
	}
	if before == nil || before.Subject != own.Subject {
		return nil
	}
	open, later := parted(chain.open, func(m proof.Message) bool { return m.Sequence > c.Fence })
	internal, laterInternal := parted(chain.internal, func(at uint64) bool { return at > c.Fence })
	chain.open, chain.internal = open, internal
	if err := r.close(ctx, chain, partition, *before); err != nil {
		return err
	}
	chain.open, chain.internal = later, laterInternal
	return nil
}

// parted splits a list before its first element that is later.
func parted[T any](list []T, later func(T) bool) (before, after []T) {
	at := slices.IndexFunc(list, later)
	if at < 0 {
		return list, nil
	}
	return slices.Clip(list[:at]), list[at:]
}

// missedOutputs adds the outputs of a batch that are stored but were not delivered.
func (r *Reader) missedOutputs(ctx context.Context, chain *chain, c *proof.Checkpoint, own uint64) error {
	first := own - uint64(c.Count)
	outputs := func(at uint64) bool { return at >= first && at < first+uint64(c.Outputs) }
	have := make([]uint64, 0, c.Outputs)
	for i := range chain.open {
		if at := chain.open[i].Sequence; outputs(at) {
			have = append(have, at)
		}
	}
	for _, at := range chain.internal {
		if outputs(at) {
			have = append(have, at)
		}
	}
	if len(have) == c.Outputs {
		return nil
	}
	for at := first; outputs(at); at++ {
		if slices.Contains(have, at) {
			continue
		}
		m, err := r.store.At(ctx, at)
		if err != nil {
			return fmt.Errorf("look for message %d of a batch: %w", at, err)
		}
		switch {
		case m == nil: // erased
		case strings.HasPrefix(m.Subject, "skip."):
			chain.internal = append(chain.internal, at)
		default:
			chain.open = append(chain.open, *m)
		}
	}
	slices.SortFunc(chain.open, func(a, b proof.Message) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return nil
}
