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

// ageing is what the records of a partition state about its beginning (AU-42), and what it lacks there.
type ageing struct {
	spot
	heads *heads

	record      *proof.Record // the newest
	cuts        []cut
	provisional []provisional
	unsigned    bool // messages are gone, and no record states since when
	late        bool // messages have aged out since the last beginning was signed
}

// recorded notes a record of the chain that a batch proves (AU-42).
func (a *ageing) recorded(w waiting, at uint64) {
	r := proof.ReadRecord(w.data)
	if r == nil {
		return
	}
	r.Stored(proof.Milestone{Sequence: at})
	if r.Age > 0 { // the time of its own checkpoint is only in the next one
		r.Milestones = r.Milestones[:len(r.Milestones)-1]
	}
	if b := r.Begins; b != nil {
		a.confirm(w.sequence, b.Sequence, b.Digest)
		if a.record != nil && a.record.Begins != nil && b.Sequence < a.record.Begins.Sequence {
			a.fault(Finding{
				Kind: WrongBeginning, Sequence: w.sequence, What: "the chain begins earlier than an earlier record states",
				Expected: fmt.Sprintf("at least %d", a.record.Begins.Sequence), Found: fmt.Sprint(b.Sequence),
			})
		}
	}
	for _, m := range r.Milestones {
		a.confirm(w.sequence, m.Sequence, m.Digest)
	}
	a.record = r
}

// confirm compares a checkpoint that a record names with the one at its place.
func (a *ageing) confirm(record, sequence uint64, digest string) {
	if at, kept := a.heads.at(sequence); kept && at != short(digest) {
		a.fault(Finding{
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
func (a *ageing) begun() uint64 {
	if a.record != nil && a.record.Begins != nil {
		return a.record.Begins.Sequence
	}
	return 1
}

// settleCuts decides what has aged out, once the newest record is known.
func (a *ageing) settleCuts() {
	for _, c := range a.cuts {
		a.settleCut(c)
	}
	for _, f := range a.provisional {
		if f.fence < a.begun() {
			a.stream.v.list[f.finding] = Finding{} // withdrawn
		}
	}
}

func (a *ageing) settleCut(c cut) {
	r := a.record
	if r == nil {
		r = &proof.Record{}
	}
	if b := r.Begins; b != nil && b.Sequence == c.sequence && b.Previous != c.previous {
		a.fault(Finding{
			Kind: WrongBeginning, Sequence: c.sequence, What: "the signed beginning binds another history than the checkpoint here",
			Expected: digestOf(b.Previous), Found: digestOf(c.previous),
		})
	}
	m, young := a.stream.early(c.fence)
	if c.fence < a.begun() && (!young || !r.Begins.Adopted) {
		a.unsigned = a.unsigned || r.Begins.Adopted
		return
	}
	f := Finding{Kind: HeadCut, Sequence: c.fence, Expected: "checkpoint " + digestOf(c.previous), Found: "none"}
	switch {
	case young:
		f.Sequence, f.Through = m.Sequence, c.fence
		f.What = fmt.Sprintf("messages were removed before their age: what was stored at %d dates from %s, and the signed age is %s", m.Sequence, clock(m.Time), a.stream.signed.age)
		a.fault(f)
	case a.record == nil:
		a.unsigned = true
	case r.Age == 0:
		f.What = "the beginning is gone, but the stage signs that messages are kept forever (streams.output_max_age in its configuration)"
		a.fault(f)
	default:
		a.late = true
	}
}

// agedOut reports whether, as far as broker and records show, a missing checkpoint can have aged out.
func (a *ageing) agedOut(sequence uint64) bool {
	_, young := a.stream.early(sequence)
	if begun := a.begun(); begun > 1 && sequence < begun && (!young || !a.record.Begins.Adopted) {
		return true
	}
	return a.stream.aged(sequence) && !young
}
