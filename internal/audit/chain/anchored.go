package chain

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// anchored holds the heads of anchors, and what was found at their places.
type anchored struct {
	anchors []Anchor
	here    map[headAt]string // digest of the checkpoint there; "" if none was seen
	count   AnchorCount
}

type headAt struct {
	stream    events.Stream
	partition int
	sequence  uint64
}

func newAnchored(anchors []Anchor) *anchored {
	a := &anchored{anchors: anchors, here: map[headAt]string{}}
	for _, anchor := range anchors {
		for _, h := range anchor.Heads {
			a.here[headAt{h.Stream, h.Partition, h.Sequence}] = ""
		}
	}
	return a
}

// saw records a valid checkpoint of the chain.
func (a *anchored) saw(name events.Stream, partition int, sequence uint64, digest string) {
	at := headAt{name, partition, sequence}
	if _, ok := a.here[at]; ok {
		a.here[at] = digest
	}
}

// doubted reports whether only a revoked key vouches for an anchor: no other anchor has all of its heads,
// or later ones, in the chain (ADR 14).
func (a *anchored) doubted(of Anchor) bool {
	if of.Revoked.IsZero() {
		return false
	}
	return slices.ContainsFunc(of.Heads, func(h Head) bool { return !a.covers(h) })
}

// covers reports whether an anchor by a key that was not revoked proves a head.
func (a *anchored) covers(h Head) bool {
	return slices.ContainsFunc(a.anchors, func(by Anchor) bool {
		return by.Revoked.IsZero() && slices.ContainsFunc(by.Heads, func(later Head) bool {
			return later.Stream == h.Stream && later.Partition == h.Partition && later.Sequence >= h.Sequence &&
				a.here[headAt{later.Stream, later.Partition, later.Sequence}] == later.Digest
		})
	})
}

// limits lists the anchors that prove nothing, and reports whether there is one that does.
func (a *anchored) limits() (limits []string, proven bool) {
	for _, of := range a.anchors {
		if a.doubted(of) {
			limits = append(limits, of.name()+" proves nothing: "+Doubt(of.Signer, of.Revoked))
			continue
		}
		proven = true
	}
	return limits, proven
}

// compareAnchors reports anchored heads that are not at their place in the current chain.
func (v *verification) compareAnchors() {
	for _, anchor := range v.anchored.anchors {
		for _, was := range anchor.Streams {
			v.compareStream(anchor, was)
		}
		for _, h := range anchor.Heads {
			v.compareHead(anchor, h)
		}
	}
}

// compareStream reports a stream that is not the one that was anchored.
func (v *verification) compareStream(anchor Anchor, was AnchoredStream) {
	s := v.streams[was.Name]
	switch {
	case s == nil || s.Missing:
	case !s.Created.Equal(was.Created) && !s.recreated:
		s.recreated = true
		s.fault(Finding{
			Kind: Recreated, Partition: WholeStream, What: "it is not the stream that " + anchor.name() + " names",
			Expected: "created " + clock(was.Created), Found: clock(s.Created),
		})
	case s.Last < was.Last:
		s.fault(Finding{
			Kind: Restored, Partition: WholeStream, Sequence: s.Last + 1, Through: was.Last,
			What:     fmt.Sprintf("it ends before %s was made: an older backup was restored", anchor.name()),
			Expected: fmt.Sprintf("through %d", was.Last), Found: fmt.Sprint(s.Last),
		})
	}
}

// compareHead reports an anchored head that is not in the chain.
func (v *verification) compareHead(anchor Anchor, h Head) {
	count := &v.anchored.count
	if v.anchored.doubted(anchor) {
		count = &AnchorCount{}
	}
	count.Heads++
	at := headAt{h.Stream, h.Partition, h.Sequence}
	s := v.streams[h.Stream]
	if s == nil || s.Missing {
		return
	}
	here := v.anchored.here[at]
	if here == h.Digest {
		count.Proven++
		return
	}
	if s.agedOut(h.Partition, h.Sequence) && s.binds(h) != bindsOther {
		count.Aged++
		if s.binds(h) == bindsSame {
			count.Bound++
		}
		return
	}
	f := Finding{Partition: h.Partition, Sequence: h.Sequence, Expected: "checkpoint " + digestOf(h.Digest), Found: "none"}
	p := s.partitions[h.Partition]
	switch {
	case s.binds(h) == bindsOther:
		f.Kind, f.Found = Rewritten, "another digest"
		f.What = "the records of the chain name another checkpoint than " + anchor.name()
	case here != "":
		f.Kind, f.Found = Rewritten, digestOf(here)
		f.What = "another checkpoint is where " + anchor.name() + " has one"
	case p == nil || p.valid == 0:
		f.Kind, f.What = PartitionGone, "the partition holds no checkpoint, but "+anchor.name()+" has one"
	case h.Sequence > p.valid:
		f.Kind = TailCut
		f.What = fmt.Sprintf("the partition ends at %d, before the checkpoint of %s", p.valid, anchor.name())
	case s.aged(h.Sequence):
		f.Kind, f.What = HeadCut, "the checkpoint of "+anchor.name()+" was removed before its age"
	default:
		f.Kind, f.What = Rewritten, "the checkpoint of "+anchor.name()+" is not in the chain"
	}
	s.fault(f)
}

// What the records of a partition state about a checkpoint that is gone.
const (
	bindsNothing = iota
	bindsSame
	bindsOther
)

// binds returns what the newest record of a partition states about an anchored head.
func (s *stream) binds(h Head) int {
	p := s.partitions[h.Partition]
	if p == nil || p.record == nil {
		return bindsNothing
	}
	digests := map[uint64]string{}
	if b := p.record.Begins; b != nil {
		digests[b.Sequence], digests[b.Fence] = b.Digest, b.Previous
	}
	for _, m := range p.record.Milestones {
		digests[m.Sequence] = m.Digest
	}
	switch digests[h.Sequence] {
	case "":
		return bindsNothing
	case h.Digest:
		return bindsSame
	}
	return bindsOther
}

func (a Anchor) name() string {
	name := "the anchor of " + clock(a.Time)
	if a.File != "" {
		name += " (" + a.File + ")"
	}
	return name
}
