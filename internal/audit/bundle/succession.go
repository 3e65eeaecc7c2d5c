package bundle

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// keysFolder holds a file for each stream with the checkpoints, from all of its partitions and from first
// to last, in which a key names its successor, each followed by the checkpoint that the successor signed
// (AU-3). Bundles of earlier builds do not have it.
const keysFolder = "keys/"

// successions collects these checkpoints during an export.
type successions struct {
	named   map[int]bool // partitions whose last checkpoint names a successor
	records []proof.Message
}

func (s *successions) take(partition int, m proof.Message) {
	names := bytes.Contains(m.Data, []byte(`"successor":"`))
	if names || s.named[partition] {
		s.records = append(s.records, m)
	}
	s.named[partition] = names
}

// keyFiles writes the successions of all streams.
func (w *writing) keyFiles(add func(name string, data []byte) error) error {
	for _, stream := range Streams {
		var data []byte
		for _, m := range w.successions[stream] {
			line, err := encodeLine(m)
			if err != nil {
				return err
			}
			data = append(data, line...)
		}
		if err := add(keysFolder+fileOf(stream), data); err != nil {
			return err
		}
	}
	return nil
}

// record is a checkpoint in which a key named its successor.
type record struct {
	line           int
	sequence       uint64
	key, successor string
	head           string // digest of the checkpoint
}

// records are those of one partition, in order.
type records []record

// before returns how many records precede a sequence.
func (r records) before(sequence uint64) int {
	at, _ := slices.BinarySearchFunc(r, sequence, func(of record, s uint64) int { return cmp.Compare(of.sequence, s) })
	return at
}

// has reports whether the records include a checkpoint.
func (r records) has(sequence uint64, head string) bool {
	at := r.before(sequence)
	return at < len(r) && r[at].sequence == sequence && r[at].head == head
}

// successors returns the keys that count because a trusted key named them. A revoked key names none, since
// a thief could have done so.
func (v *verification) successors(of records) (keys []string) {
	for _, r := range of {
		if _, revoked := v.options.Keys.Revoked[r.key]; !revoked {
			keys = append(keys, r.successor)
		}
	}
	return keys
}

// succession reads the records of a stream, which precede the stream in the bundle.
func (v *verification) succession(f File, in io.Reader) error {
	at := slices.IndexFunc(Streams, func(s events.Stream) bool { return f.Name == keysFolder+fileOf(s) })
	if at < 0 || v.heads[Streams[at]] != nil {
		return &Fault{File: f.Name, What: "these are not the keys of a stream that follows"}
	}
	r := &recordCheck{v: v, file: f.Name, stage: subjects.StageOf(Streams[at]), last: map[int]record{}, known: map[int]records{}}
	v.records[Streams[at]] = r.known
	return lines(f.Name, in, r.take)
}

// recordCheck checks the records of a stream.
type recordCheck struct {
	v           *verification
	file, stage string
	last        map[int]record // last checkpoint of each partition
	known       map[int]records
	read        uint64
}

// take checks the next line. The signer matters, but not a revocation: a record only limits what its own
// key signs.
func (r *recordCheck) take(line int, m proof.Message) error {
	fault := func(format string, values ...any) error {
		return &Fault{File: r.file, Line: line, Sequence: m.Sequence, What: fmt.Sprintf(format, values...)}
	}
	partition, _ := proof.Partition(m.Subject)
	if !r.v.within(partition) || m.Subject != subjects.CheckpointSubject(r.stage, partition) {
		return fault("no checkpoint of the %s is on the subject %.80q", r.stage, m.Subject)
	}
	if m.Sequence <= r.read {
		return fault("out of order: it comes after sequence %d", r.read)
	}
	c, reason := r.v.verifier(r.stage, r.known[partition]).Open(partition, m.Data)
	if c == nil {
		return fault("%s", reason)
	}
	last := r.last[partition]
	if last.successor != "" && (c.Previous != last.head || c.Fence != last.sequence || c.Key != last.successor) {
		return fault("it does not follow the record at %d, in which %s named %s", last.sequence, last.key, last.successor)
	}
	if last.successor == "" && c.Successor == "" {
		return fault("no key names its successor here")
	}
	next := record{line: line, sequence: m.Sequence, key: c.Key, successor: c.Successor, head: proof.Head(m.Data)}
	r.read, r.last[partition] = m.Sequence, next
	if c.Successor != "" {
		r.known[partition] = append(r.known[partition], next)
	}
	return nil
}

// preload sets who signed a partition before its first message here.
func (s *streamCheck) preload(p *partitionCheck, partition int) {
	known := s.v.records[s.file.Stream][partition]
	p.records = slices.Clone(known[:known.before(p.first)])
	for _, r := range p.records {
		p.keys.Named(r.key, r.successor, r.sequence)
	}
	if p.known = len(known) > 0; !p.known {
		return
	}
	if p.keys.Begin(known[0].key); len(p.records) > 0 {
		p.keys.Begin(p.records[len(p.records)-1].successor)
	}
}

// signed checks that a checkpoint was signed by the key in use at that time, before its revocation (AU-3).
func (s *streamCheck) signed(p *partitionCheck, c *proof.Checkpoint, line int, m proof.Message, head string) {
	f := s.v.options.Keys.RevokedBy(c.Key, m.Time)
	if changed := p.keys.Signed(c, m.Sequence, p.known || p.batches > 0); f.Kind == "" {
		f = changed
	}
	if at := s.replaced(c.Key); f.Kind == "" && at > 0 && m.Sequence > at {
		f = chain.Replaced(c.Key, at)
	}
	switch {
	case f.Kind != "" && f.Expected != "":
		s.fault(line, m.Sequence, "%s: %s (expected %s, found %s)", f.Kind, f.What, f.Expected, f.Found)
	case f.Kind != "":
		s.fault(line, m.Sequence, "%s: %s", f.Kind, f.What)
	case c.Count > 0 || c.Successor == "": // a record alone proves no message
		p.uses.add(c.Key, line, m.Sequence)
	}
	if c.Successor == "" {
		return
	}
	if known := s.v.records[s.file.Stream]; known != nil && !known[c.Partition].has(m.Sequence, head) {
		s.fault(line, m.Sequence, "a key names its successor here, but %s does not have it", keysFolder+s.file.Name)
	}
	p.records = append(p.records, record{line: line, sequence: m.Sequence, key: c.Key, successor: c.Successor, head: head})
}

// replaced returns the last place in the stream where a key named its successor, 0 if there is none. The
// stage does not write meanwhile, so from there on the key signs in no partition.
func (s *streamCheck) replaced(key string) (at uint64) {
	for _, known := range s.v.records[s.file.Stream] {
		for _, r := range known {
			if r.key == key {
				at = max(at, r.sequence)
			}
		}
	}
	return at
}

// misplaced reports records that should be in this part of the chain but are not.
func (s *streamCheck) misplaced(partition int, p *partitionCheck) {
	for _, r := range s.v.records[s.file.Stream][partition] {
		if r.sequence >= p.first && r.sequence <= p.fence && !p.records.has(r.sequence, r.head) {
			s.v.fault(&Fault{File: keysFolder + s.file.Name, Line: r.line, Sequence: r.sequence, What: "this record is not in " + s.file.Name})
		}
	}
}
