package chain

import (
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// cut is a place where the checkpoints before one are gone, as if they had aged out.
type cut struct {
	sequence uint64 // sequence of the first checkpoint kept
	fence    uint64 // sequence of its predecessor, which is gone
	previous string // digest of that predecessor
}

// provisional is a finding of missing batches that a signed beginning may explain.
type provisional struct {
	finding int // its index
	fence   uint64
}

// recorded notes a record of the chain that a batch proves (AU-42).
func (p *partition) recorded(w waiting, at uint64) {
	r := proof.ReadRecord(w.data)
	if r == nil {
		return
	}
	r.Stored(proof.Milestone{Sequence: at})
	if r.Age > 0 { // the time of its own checkpoint is only in the next one
		r.Milestones = r.Milestones[:len(r.Milestones)-1]
	}
	if b := r.Begins; b != nil {
		p.confirm(w.sequence, b.Sequence, b.Digest)
		if p.record != nil && p.record.Begins != nil && b.Sequence < p.record.Begins.Sequence {
			p.fault(Finding{
				Kind: WrongBeginning, Sequence: w.sequence, What: "the chain begins earlier than an earlier record states",
				Expected: fmt.Sprintf("at least %d", p.record.Begins.Sequence), Found: fmt.Sprint(b.Sequence),
			})
		}
	}
	for _, m := range r.Milestones {
		p.confirm(w.sequence, m.Sequence, m.Digest)
	}
	p.record = r
}

// confirm compares a checkpoint that a record names with the one at its place.
func (p *partition) confirm(record, sequence uint64, digest string) {
	if at, kept := p.heads.at(sequence); kept && at != short(digest) {
		p.fault(Finding{
			Kind: WrongBeginning, Sequence: record, What: fmt.Sprintf("the record names a checkpoint at %d other than the one there", sequence),
			Expected: digestOf(digest), Found: fmt.Sprintf("%x", at[:8]),
		})
	}
}

// slack returns by how much times may differ: the broker stores the messages of a batch one after the
// other, and a later broker may have another machine's clock.
func slack(age time.Duration) time.Duration { return min(proof.Interval(age), time.Minute) }

// signed is what the newest records of a stream's partitions state together. Sequences and times grow
// together throughout a stream, so a milestone of one partition also gives a minimum age for the messages
// of another.
type signed struct {
	age        time.Duration // the shortest that is not 0
	milestones []proof.Milestone
}

// gather collects what the records of a stream state.
func (s *stream) gather() {
	for _, p := range s.partitions {
		if p.record == nil {
			continue
		}
		if age := p.record.Age; age > 0 && (s.signed.age == 0 || age < s.signed.age) {
			s.signed.age = age
		}
		s.signed.milestones = append(s.signed.milestones, p.record.Milestones...)
	}
}

// early reports whether a missing message was too young to have aged out, because a milestone that does not
// come after it was. It returns the first such milestone.
func (s *stream) early(sequence uint64) (m proof.Milestone, ok bool) {
	oldest := s.until.Add(slack(s.signed.age) - s.signed.age)
	for _, of := range s.signed.milestones {
		if of.Sequence <= sequence && of.Time.After(oldest) && (!ok || of.Sequence < m.Sequence) {
			m, ok = of, true
		}
	}
	return m, ok && s.signed.age > 0
}

// begun returns the checkpoint from which on nothing may be missing, 1 if there is none.
func (p *partition) begun() uint64 {
	if p.record != nil && p.record.Begins != nil {
		return p.record.Begins.Sequence
	}
	return 1
}

// settleCuts decides what has aged out, once the newest record is known.
func (p *partition) settleCuts() {
	for _, c := range p.cuts {
		p.settleCut(c)
	}
	for _, f := range p.provisional {
		if f.fence < p.begun() {
			p.stream.v.list[f.finding] = Finding{} // withdrawn
		}
	}
}

func (p *partition) settleCut(c cut) {
	r := p.record
	if r == nil {
		r = &proof.Record{}
	}
	if b := r.Begins; b != nil && b.Sequence == c.sequence && b.Previous != c.previous {
		p.fault(Finding{
			Kind: WrongBeginning, Sequence: c.sequence, What: "the signed beginning binds another history than the checkpoint here",
			Expected: digestOf(b.Previous), Found: digestOf(c.previous),
		})
	}
	m, young := p.stream.early(c.fence)
	if c.fence < p.begun() && (!young || !r.Begins.Adopted) {
		p.unsigned = p.unsigned || r.Begins.Adopted
		return
	}
	f := Finding{Kind: HeadCut, Sequence: c.fence, Expected: "checkpoint " + digestOf(c.previous), Found: "none"}
	switch {
	case young:
		f.Sequence, f.Through = m.Sequence, c.fence
		f.What = fmt.Sprintf("messages were removed before their age: what was stored at %d dates from %s, and the signed age is %s", m.Sequence, clock(m.Time), p.stream.signed.age)
		p.fault(f)
	case p.record == nil:
		p.unsigned = true
	case r.Age == 0:
		f.What = "the beginning is gone, but the stage signs that messages are kept forever (streams.output_max_age in its configuration)"
		p.fault(f)
	default:
		p.late = true
	}
}

// agedOut reports whether, as far as broker and records show, a missing checkpoint can have aged out.
func (p *partition) agedOut(sequence uint64) bool {
	_, young := p.stream.early(sequence)
	if begun := p.begun(); begun > 1 && sequence < begun && (!young || !p.record.Begins.Adopted) {
		return true
	}
	return p.stream.aged(sequence) && !young
}
