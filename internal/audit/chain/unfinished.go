package chain

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Unfinished is a batch that its stage could not finish writing, because the disk was full or the broker
// stopped between its messages. The stage derived the same events again and committed them later, so the
// remains of the first attempt contain nothing that is not proven.
type Unfinished struct {
	Stream    events.Stream `json:"stream"`
	Partition int           `json:"partition"`
	Sequence  uint64        `json:"sequence"`
	Through   uint64        `json:"through"`
	Messages  int           `json:"messages"`
	Committed uint64        `json:"committed"` // checkpoint of the batch that holds its first event
}

// String returns one line for a person.
func (u Unfinished) String() string {
	place := Finding{Stream: string(u.Stream), Partition: u.Partition, Sequence: u.Sequence, Through: u.Through}.Place()
	return fmt.Sprintf("%s: unfinished batch: %s without a checkpoint, committed again with the one at %d; nothing is missing",
		place, text.Count(u.Messages, "message"), u.Committed)
}

// maxStrays limits how many messages of one partition wait to be recognised: fewer batches are ever left
// unfinished at once.
const maxStrays = 4 * proof.MaxBatch

// strays are the messages of a partition that no checkpoint covers. Only the end of the stream shows
// whether they are remains of a batch that was committed later, have aged out, or are forged.
type strays struct {
	spot
	list []stray
	by   map[[32]byte][]int // indices of those that are not committed yet
}

type stray struct {
	waiting
	again uint64 // checkpoint of the batch that holds the same event, 0 if there is none
}

// add keeps a message that no checkpoint covers.
func (s *strays) add(w waiting) {
	if len(s.list) == maxStrays {
		s.forged([]waiting{w})
		return
	}
	if s.by == nil {
		s.by = map[[32]byte][]int{}
	}
	s.by[w.hash] = append(s.by[w.hash], len(s.list))
	s.list = append(s.list, stray{waiting: w})
}

// committed notes that a batch proves an event. An earlier message with the same subject, headers and data
// that is in no batch is left over from a failed attempt. A later one is a copy, which a stage never
// writes.
func (s *strays) committed(hash [32]byte, checkpoint uint64) {
	if len(s.by) == 0 {
		return
	}
	for _, i := range s.by[hash] {
		s.list[i].again = checkpoint
	}
	delete(s.by, hash)
}

// unfinished reports the batches that were committed later, and returns the messages that remain
// unexplained.
func (s *strays) unfinished() (unknown []waiting) {
	slices.SortFunc(s.list, func(a, b stray) int { return int(int64(a.sequence) - int64(b.sequence)) })
	var run *Unfinished
	for _, one := range s.list {
		next := run != nil && one.sequence == run.Through+1
		switch {
		case one.again == 0 && !(next && internal(one.subject)): // snapshots differ when batches are cut differently
			unknown = append(unknown, one.waiting)
			run = nil
			continue
		case !next:
			s.stream.v.left = append(s.stream.v.left, Unfinished{
				Stream: s.stream.Name, Partition: s.number, Sequence: one.sequence, Committed: one.again,
			})
			run = &s.stream.v.left[len(s.stream.v.left)-1]
		}
		run.Through = one.sequence
		run.Messages++
	}
	for _, u := range s.stream.v.left {
		if u.Stream == s.stream.Name && u.Partition == s.number {
			s.stream.gaps.replacedAfter(u.Through)
		}
	}
	s.list, s.by = nil, nil
	return unknown
}

// replacedAfter removes the missing sequences right after a sequence. The events of a batch are followed by
// its snapshots, each of which is replaced by its group's next. The links of the checkpoints show that no
// batch was committed there.
func (h *holes) replacedAfter(sequence uint64) {
	h.spans = slices.DeleteFunc(h.spans, func(s span) bool { return s.first == sequence+1 })
}
