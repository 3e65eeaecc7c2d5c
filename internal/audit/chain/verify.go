package chain

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Streams lists the streams that stages write, in the order of the pipeline.
var Streams = []events.Stream{events.StreamSegments, events.StreamSignals, events.StreamDecisions}

// Verify reads all streams and returns what it found. It returns an error if a stream cannot be read;
// faults of the streams are in the report.
func Verify(ctx context.Context, from Source, o Options) (*Report, error) {
	v := &verification{options: o, streams: map[events.Stream]*stream{}, anchored: newAnchored(o.Anchors)}
	if err := v.describe(ctx, from); err != nil {
		return nil, err
	}
	for _, name := range Streams {
		s := v.streams[name]
		if s.Missing {
			v.add(Finding{Kind: StreamGone, Stream: string(name), Partition: WholeStream, What: "the stream does not exist"})
			continue
		}
		before, err := from.Stream(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("look up %s before it is read: %w", name, err)
		}
		s.Now = before.Now
		if err := v.read(ctx, from, s); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		after, err := from.Stream(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("look up %s again: %w", name, err)
		}
		s.until = after.Now
		s.finish()
	}
	if err := v.letters(ctx, from); err != nil {
		return nil, err
	}
	if err := v.rules(ctx, from); err != nil {
		return nil, err
	}
	v.settleErased()
	v.compareAnchors()
	return v.report(), nil
}

// verification is the state of one call of Verify.
type verification struct {
	findings
	options  Options
	streams  map[events.Stream]*stream
	anchored *anchored
	purged   []Purged
	// announced are purges without a tombstone yet.
	announced []Purged
	accepted  map[string]Acceptance // by the mark of the fault
	left      []Unfinished
	erased    map[string]proof.Ranges // what tombstones name, by stream
	// configurations counts the events that name each; RULES never held the unnamed ones.
	configurations map[string]int
	unnamed        []string
}

// describe looks up the streams, the last of the pipeline first, so that what a stream refers to is in the
// range read from the previous one, even while the stages run.
func (v *verification) describe(ctx context.Context, from Source) error {
	names := append([]events.Stream{events.StreamInput}, Streams...)
	for _, name := range slices.Backward(names) {
		facts, err := from.Stream(ctx, name)
		if err != nil {
			return fmt.Errorf("look up %s: %w", name, err)
		}
		v.streams[name] = newStream(v, facts)
	}
	for _, name := range Streams {
		v.streams[name].source = v.streams[subjects.SourceOf(subjects.StageOf(name))]
	}
	return nil
}

// progressEvery is the number of messages between two calls of Options.Progress.
const progressEvery = 4096

func (v *verification) read(ctx context.Context, from Source, s *stream) error {
	read := uint64(0)
	err := s.ahead(ctx, from, s.Stream, func(m examined) {
		if read++; v.options.Progress != nil && read%progressEvery == 0 {
			v.options.Progress(s.Name, read, s.Kept)
		}
		s.take(m)
	})
	if err == nil && v.options.Progress != nil {
		v.options.Progress(s.Name, read, read)
	}
	return err
}

// stream is the state of one stream while it is read.
type stream struct {
	proof.Stream
	v *verification
	examiner
	source     *stream // the stream that its stage reads
	partitions map[int]*partition
	heads      map[int]*heads
	missing    holes  // sequences that no batch accounts for
	gaps       holes  // those of them that no finding explains
	read       uint64 // last sequence read
	young      uint64 // first sequence that does not age out while the stream is read; 0 if none yet
	messages   uint64
	replaced   uint64 // number of snapshots that a later one replaced
	recreated  bool   // it was deleted and created again
	cut        bool   // the beginning is gone, for INPUT
	absent     []missingEvent
	skips      map[string]skipped // inputs that the stage skipped, by the subject of their letter
	begin      time.Time
	end        time.Time
	until      time.Time // broker's time when reading finished
	signed     signed
	succeeded  map[string]uint64 // keys, with the last place where they named a successor
	late       []lateUse
}

func newStream(v *verification, facts proof.Stream) *stream {
	return &stream{
		Stream: facts, v: v, examiner: newExaminer(v.options, subjects.StageOf(facts.Name)),
		partitions: map[int]*partition{}, heads: map[int]*heads{},
	}
}

// take checks the next message.
func (s *stream) take(m examined) {
	// A broker stores messages in order of time. A message dated before its predecessor, because the clock
	// was set back or somebody backdated it, counts with the time of that predecessor: backdating neither
	// evades a revocation nor makes a message age out.
	if m.Time.Before(s.end) {
		m.Time = s.end
	}
	s.gap(m.Message)
	s.messages++
	if s.begin.IsZero() {
		s.begin = m.Time
	}
	s.end = m.Time
	if m.partition < 0 || m.partition >= s.examiner.partitions {
		s.fault(Finding{Kind: ForgedEvent, Partition: WholeStream, Sequence: m.Sequence, What: "a message on " + clip(m.Subject) + ", which no stage writes"})
		return
	}
	p := s.partition(m.partition)
	if m.ends {
		p.checkpoint(m)
		return
	}
	p.wait(m)
}

// gap records the sequences missing before a message.
func (s *stream) gap(m proof.Message) {
	before := s.read
	if s.messages == 0 {
		before = 0
	}
	s.missing.add(before+1, m.Sequence-1)
	s.gaps.add(before+1, m.Sequence-1)
	s.read = m.Sequence
	if s.young == 0 && (s.MaxAge == 0 || m.Time.After(s.Now.Add(slack(s.MaxAge)-s.MaxAge))) {
		s.young = m.Sequence
	}
}

// aged reports whether a missing message can have aged out.
func (s *stream) aged(sequence uint64) bool {
	return s.canAge() && (s.young == 0 || sequence < s.young)
}

// canAge reports whether the stream is old enough that its first messages have aged out.
func (s *stream) canAge() bool {
	return s.MaxAge > 0 && s.Created.Before(s.Now.Add(-s.MaxAge))
}

// agedOut reports whether a missing checkpoint of a partition can have aged out.
func (s *stream) agedOut(partition int, sequence uint64) bool {
	if p := s.partitions[partition]; p != nil {
		return p.agedOut(sequence)
	}
	_, young := s.early(sequence)
	return s.aged(sequence) && !young
}

// begun returns the first sequence from which on no signed beginning allows a gap.
func (s *stream) begun() (first uint64) {
	for _, p := range s.partitions {
		if p.begun() > 1 {
			first = max(first, p.begun())
		}
	}
	return first
}

func (s *stream) partition(number int) *partition {
	p := s.partitions[number]
	if p == nil {
		p = newPartition(s, number)
		s.partitions[number], s.heads[number] = p, p.heads
	}
	return p
}

func (s *stream) fault(f Finding) {
	f.Stream = string(s.Name)
	s.v.add(f)
}

// finish checks what is open at the end of the stream.
func (s *stream) finish() {
	for number := range s.v.options.Partitions {
		if p := s.partitions[number]; p != nil {
			p.end()
		}
	}
	s.settleLate()
	s.gather()
	for number := range s.v.options.Partitions {
		if p := s.partitions[number]; p != nil {
			p.settleCuts()
		}
	}
	if s.read < s.Last && !s.aged(s.Last) {
		s.fault(Finding{
			Kind: TailCut, Partition: WholeStream, Sequence: s.read + 1, Through: s.Last, What: "the last messages were removed",
			Expected: fmt.Sprintf("messages through %d", s.Last), Found: fmt.Sprintf("the last at %d", s.read),
		})
	}
	s.unexplained()
}

// unexplained reports, in one finding, the missing messages that no other finding and no acknowledgement
// accounts for.
func (s *stream) unexplained() {
	all := Finding{Kind: Gap, Partition: WholeStream}
	count := uint64(0)
	for _, hole := range s.gaps.spans {
		if s.aged(hole.last) || hole.last < s.begun() {
			continue
		}
		missing := hole.last - hole.first + 1
		one := Finding{
			Kind: Gap, Stream: string(s.Name), Partition: WholeStream, Sequence: hole.first, Through: hole.last,
			What: fmt.Sprintf("%d messages were removed that no batch kept accounts for", missing),
		}
		if _, known := s.v.accepted[one.Mark()]; known {
			s.fault(one)
			continue
		}
		if all.parts = append(all.parts, one); all.Sequence == 0 {
			all.Sequence = hole.first
		}
		all.Through = hole.last
		count += missing
	}
	if len(all.parts) > 0 {
		all.What = fmt.Sprintf("%d messages were removed, in %d places, that no batch kept accounts for", count, len(all.parts))
		s.fault(all)
	}
}
