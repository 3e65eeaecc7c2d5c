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
	list []stray
	by   map[[32]byte][]int // indices of those that are not committed yet
}

type stray struct {
	waiting
	again uint64 // checkpoint of the batch that holds the same event, 0 if there is none
}

// stray keeps a message that no checkpoint covers.
func (p *partition) stray(w waiting) {
	s := &p.strays
	if len(s.list) == maxStrays {
		p.forged([]waiting{w})
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
func (p *partition) unfinished() (unknown []waiting) {
	slices.SortFunc(p.strays.list, func(a, b stray) int { return int(int64(a.sequence) - int64(b.sequence)) })
	var run *Unfinished
	for _, s := range p.strays.list {
		next := run != nil && s.sequence == run.Through+1
		switch {
		case s.again == 0 && !(next && internal(s.subject)): // snapshots differ when batches are cut differently
			unknown = append(unknown, s.waiting)
			run = nil
			continue
		case !next:
			p.stream.v.left = append(p.stream.v.left, Unfinished{
				Stream: p.stream.Name, Partition: p.number, Sequence: s.sequence, Committed: s.again,
			})
			run = &p.stream.v.left[len(p.stream.v.left)-1]
		}
		run.Through = s.sequence
		run.Messages++
	}
	for _, u := range p.stream.v.left {
		if u.Stream == p.stream.Name && u.Partition == p.number {
			p.stream.gaps.replacedAfter(u.Through)
		}
	}
	p.strays = strays{}
	return unknown
}

// replacedAfter removes the missing sequences right after a sequence. The events of a batch are followed by
// its snapshots, each of which is replaced by its group's next. The links of the checkpoints show that no
// batch was committed there.
func (h *holes) replacedAfter(sequence uint64) {
	h.spans = slices.DeleteFunc(h.spans, func(s span) bool { return s.first == sequence+1 })
}
