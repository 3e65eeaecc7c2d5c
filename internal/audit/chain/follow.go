package chain

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// follow checks a checkpoint's place and its link to the previous one. It returns false if the checkpoint
// is not part of the chain.
func (p *partition) follow(c *proof.Checkpoint, e examined, open []waiting) bool {
	own, m := e.head, e.Message
	fence := uint64(int64(c.Fence) + p.shift)
	linked := c.Previous == p.head
	if !linked && p.copied(own, m, c, open) {
		return false
	}
	edited := !linked && p.names(fence)
	for _, s := range p.suspects {
		p.decide(s, edited && s.sequence == fence)
	}
	p.suspects = nil
	switch {
	case linked:
		p.renumbered(c, m)
	case edited:
	case p.jump != nil && p.jump.previous == own:
		p.moved(m)
		return true // the head remains that of the later batch
	case p.valid > 0 && fence == p.fence:
		p.fault(Finding{
			Kind: EditedCheckpoint, Sequence: p.fence, What: fmt.Sprintf("the checkpoint here is not the one that the next, at %d, names", m.Sequence),
			Expected: digestOf(c.Previous), Found: digestOf(p.head),
		})
	case p.valid > 0 && fence < p.valid:
		p.fault(Finding{
			Kind: ForgedCheckpoint, Sequence: m.Sequence, What: fmt.Sprintf("a second checkpoint after the one at %d: another history", fence),
			Expected: digestOf(p.head), Found: digestOf(c.Previous),
		})
		return false
	default:
		p.missing(c, m, fence, open)
	}
	p.head = own
	return true
}

// names reports whether a suspect is where a checkpoint expects its predecessor.
func (p *partition) names(fence uint64) bool {
	for _, s := range p.suspects {
		if s.sequence == fence {
			return true
		}
	}
	return false
}

// copied reports a checkpoint that was stored before.
func (p *partition) copied(own string, m proof.Message, c *proof.Checkpoint, open []waiting) bool {
	digest := short(own)
	for _, h := range p.heads.list {
		if h.digest != digest {
			continue
		}
		covered := 0
		var rest []waiting
		for _, w := range open {
			if c.Fits(m.Sequence, w.sequence, w.hash) {
				covered++
			} else {
				rest = append(rest, w)
			}
		}
		p.fault(Finding{
			Kind: CopiedCheckpoint, Sequence: m.Sequence,
			What: fmt.Sprintf("the checkpoint at %d was stored again here, with %d messages", h.sequence, covered),
		})
		p.forged(rest)
		return true
	}
	return false
}

// renumbered reports that sequences differ from those at commit time.
func (p *partition) renumbered(c *proof.Checkpoint, m proof.Message) {
	if int64(c.Fence)+p.shift == int64(p.fence) || int64(c.Fence)+p.shift == int64(p.valid) {
		return // right after its predecessor, or what is in between was stored later
	}
	shift := int64(p.fence) - int64(c.Fence)
	if !p.unshifted {
		what := fmt.Sprintf("messages are %d sequences later than they were committed: the stream was written again with others between them", shift-p.shift)
		if shift < p.shift {
			what = fmt.Sprintf("messages are %d sequences earlier than they were committed: the stream was written again without others", p.shift-shift)
		}
		p.fault(Finding{Kind: Renumbered, Sequence: m.Sequence, What: what})
	}
	p.shift, p.unshifted = shift, false
}

// moved turns the finding of a missing batch into one of a misplaced batch.
func (p *partition) moved(m proof.Message) {
	found := &p.stream.v.list[p.jump.finding]
	found.Kind, found.Sequence, found.Through = MovedBatch, m.Sequence, 0
	found.What = "the batch that ends here was committed before the one that now precedes it"
	found.Expected, found.Found = "", ""
	p.jump, p.displaced, p.unshifted = nil, true, false
}

// missing reports that the checkpoint before this one is gone.
func (p *partition) missing(c *proof.Checkpoint, m proof.Message, fence uint64, open []waiting) {
	if p.stream.aged(fence) {
		p.begins = m.Sequence
		p.cuts = append(p.cuts, cut{sequence: m.Sequence, fence: fence, previous: c.Previous})
		p.stream.gaps.remove(1, fence)
		return
	}
	f := Finding{
		Kind: DroppedBatch, Sequence: fence, Expected: "checkpoint " + digestOf(c.Previous), Found: "none",
		What: fmt.Sprintf("the batches between %d and %d are gone", p.valid, m.Sequence-uint64(c.Count)),
	}
	if p.valid == 0 {
		f.Kind, f.What = HeadCut, fmt.Sprintf("the beginning is gone: the first checkpoint kept, at %d, is not the first that was committed", m.Sequence)
	}
	orphans := p.orphans(open, fence)
	if hole, ok := p.stream.missing.through(fence, p.valid); ok {
		f.Sequence, f.Through = hole.first, hole.last
		p.stream.gaps.remove(hole.first, hole.last)
	} else {
		p.unshifted = true
	}
	if orphans > 0 {
		f.Sequence, f.Through = fence, 0
		f.What = fmt.Sprintf("a checkpoint is gone, and with it the proof of the %d messages before it", orphans)
	}
	p.jump = &jump{previous: c.Previous, finding: len(p.stream.v.list)}
	p.fault(f)
	if p.jump.finding == len(p.stream.v.list) { // counted but not listed
		p.jump = nil
		return
	}
	p.provisional = append(p.provisional, provisional{finding: p.jump.finding, fence: fence})
}

// orphans counts the messages whose own checkpoint, at the fence, is gone.
func (p *partition) orphans(open []waiting, fence uint64) (count int) {
	for _, w := range open {
		if w.sequence < fence {
			count++
		}
	}
	p.orphaned = fence
	return count
}
