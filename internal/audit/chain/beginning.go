package chain

import (
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// cut is a place where the checkpoints before one are gone, as if they had aged out.
type cut struct {
	sequence uint64 // of the checkpoint kept
	fence    uint64 // of the one that it names, which is gone
	previous string // digest of that one
	after    uint64 // valid checkpoint that is kept before it, 0: none
}

// provisional is a finding of missing batches that a signed beginning can explain.
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
	if r.Age > 0 { // the time of its own checkpoint is in the next one only
		r.Milestones = r.Milestones[:len(r.Milestones)-1]
	}
	if b := r.Begins; b != nil {
		p.confirm(w.sequence, b.Sequence, b.Digest)
		if p.record != nil && p.record.Begins != nil && b.Sequence < p.record.Begins.Sequence {
			p.fault(Finding{
				Kind: WrongBeginning, Sequence: w.sequence, What: "the chain begins earlier than a record before this one says",
				Expected: fmt.Sprintf("at least %d", p.record.Begins.Sequence), Found: fmt.Sprint(b.Sequence),
			})
		}
	}
	for _, m := range r.Milestones {
		p.confirm(w.sequence, m.Sequence, m.Digest)
	}
	p.record = r
}

// confirm compares a checkpoint that a record names with the one kept at its place.
func (p *partition) confirm(record, sequence uint64, digest string) {
	if at, kept := p.heads.at(sequence); kept && at != short(digest) {
		p.fault(Finding{
			Kind: WrongBeginning, Sequence: record, What: fmt.Sprintf("the record names another checkpoint at %d than is there", sequence),
			Expected: digestOf(digest), Found: fmt.Sprintf("%x", at[:8]),
		})
	}
}

// slack is by how much times may differ: the broker stores the messages of a batch one
// after the other, and its clock may be another machine's later.
func slack(age time.Duration) time.Duration { return min(proof.Interval(age), time.Minute) }

// early returns the first checkpoint, after a place and through another, that a record
// names and that was too young to have aged out; ok is false if nothing shows that.
func (p *partition) early(after, through uint64) (m proof.Milestone, ok bool) {
	r := p.record
	if r == nil || r.Age == 0 {
		return m, false
	}
	for _, m := range r.Milestones {
		if m.Sequence > max(after, p.begun()-1) && m.Sequence <= through && m.Time.After(p.stream.until.Add(slack(r.Age)-r.Age)) {
			return m, true
		}
	}
	return m, false
}

// begun returns the checkpoint from which on nothing may be missing, 1 without any.
func (p *partition) begun() uint64 {
	if p.record != nil && p.record.Begins != nil {
		return p.record.Begins.Sequence
	}
	return 1
}

// settleCuts decides, when the newest record is known, what has aged out.
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
		p.unsigned = true
		return
	}
	if b := r.Begins; b != nil && b.Sequence == c.sequence && b.Previous != c.previous {
		p.fault(Finding{
			Kind: WrongBeginning, Sequence: c.sequence, What: "the signed beginning binds another history than the checkpoint here",
			Expected: digestOf(b.Previous), Found: digestOf(c.previous),
		})
	}
	if c.fence < p.begun() {
		p.unsigned = p.unsigned || r.Begins.Adopted
		return
	}
	f := Finding{Kind: HeadCut, Sequence: c.fence, Expected: "checkpoint " + digestOf(c.previous), Found: "none"}
	if m, young := p.early(c.after, c.fence); young {
		f.Sequence, f.Through = m.Sequence, c.fence
		f.What = fmt.Sprintf("messages were removed before their age: the checkpoint at %d is of %s, and the signed age is %s", m.Sequence, clock(m.Time), r.Age)
		p.fault(f)
		return
	}
	if r.Age == 0 {
		f.What = "the beginning is gone, but the stage signs that messages are kept for ever (streams.output_max_age in its configuration)"
		p.fault(f)
		return
	}
	p.late = true
}

// agedOut reports whether a missing checkpoint can have aged out, as far as broker and
// records show.
func (p *partition) agedOut(sequence uint64) bool {
	if sequence < p.begun() && p.begun() > 1 {
		return true
	}
	if !p.stream.aged(sequence) {
		return false
	}
	_, young := p.early(0, sequence)
	return !young
}
