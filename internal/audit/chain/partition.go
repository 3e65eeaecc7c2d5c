package chain

import (
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// waiting is a message whose checkpoint has not come yet.
type waiting struct {
	sequence uint64
	hash     [32]byte
	subject  string
	typ      string
	stored   time.Time
	data     []byte // data of a tombstone, a record or a skip
	config   string // configuration under which the event was decided
}

// suspect is a message on the checkpoint subject that is not a valid checkpoint. The next valid one shows
// what it is.
type suspect struct {
	sequence uint64
	digest   string // of the message
	reason   string
	edited   bool // has the form and the place of a genuine one
	covered  int  // messages that fit its marks
	rest     []waiting
}

// jump is a checkpoint that names another predecessor than the previous one: messages are missing, unless
// that predecessor comes later.
type jump struct {
	previous string
	finding  int // its index
}

// partition tracks how far the chain of one partition was followed.
type partition struct {
	spot
	ageing
	consumed

	open      []waiting
	strays    strays // messages that no checkpoint covers
	suspects  []suspect
	fence     uint64 // last message on the checkpoint subject
	valid     uint64 // last valid checkpoint
	head      string // digest of it
	shift     int64  // by how much sequences exceed those at commit time
	unshifted bool   // batches are missing without a gap: the shift is yet to be determined
	jump      *jump
	orphaned  uint64 // messages before this sequence have lost their checkpoint
	displaced bool   // the last batch is not in its place
	keys      keys

	batches, events int
	first, last     time.Time
	begins          uint64 // the first checkpoint kept, if older ones have aged out
}

func newPartition(s *stream, number int) *partition {
	at := spot{s, number}
	return &partition{spot: at, ageing: ageing{spot: at, heads: &heads{}}, consumed: consumed{spot: at}, strays: strays{spot: at}}
}

// spot is the partition of a stream that findings are about.
type spot struct {
	stream *stream
	number int
}

func (at spot) fault(f Finding) {
	f.Partition = at.number
	at.stream.fault(f)
}

// wait keeps a message until its checkpoint is read.
func (p *partition) wait(m examined) {
	if len(p.open) == proof.MaxBatch {
		p.strays.add(p.open[0])
		p.open = p.open[1:]
	}
	w := waiting{sequence: m.Sequence, hash: m.hash, subject: m.Subject, typ: m.typ, stored: m.Time, config: m.Header.Get("ce-confighash")}
	if states(m.typ) && p.stream.Name == tombstones {
		w.data = m.Data
	}
	if strings.HasPrefix(m.Subject, "skip.") {
		w.data = m.Data
	}
	p.open = append(p.open, w)
}

func typeOf(m proof.Message) string {
	if typ := m.Header.Get("ce-type"); typ != "" {
		return typ
	}
	for name, values := range m.Header {
		if strings.EqualFold(name, "ce-type") && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}

// forged reports messages that belong to no batch.
func (at spot) forged(messages []waiting) {
	for _, m := range messages {
		at.inNoBatch(m, noBatch)
	}
}

// What is said of a message in no batch. After the last checkpoint only the next batch shows whether it is forged.
const (
	noBatch = "no checkpoint accounts for it"
	notYet  = noBatch + " yet; if its stage could not finish writing, as on a full disk, " +
		"it commits the event again: verify again when the stage is ready"
)

// inNoBatch reports a message that belongs to no batch, and why that is known.
func (at spot) inNoBatch(m waiting, why string) {
	what := "an event in no batch: "
	if internal(m.subject) {
		what = "a snapshot or skip in no batch: "
	}
	at.fault(Finding{
		Kind: ForgedEvent, Sequence: m.sequence, What: what + why, Found: clip(m.subject),
		Digest: hex.EncodeToString(m.hash[:]),
	})
}

// checkpoint ends a batch.
func (p *partition) checkpoint(e examined) {
	open := p.open
	p.open = nil
	c, m := e.checkpoint, e.Message
	if e.reason != "" {
		p.suspect(c, m, e.reason, open)
		return
	}
	if !p.follow(c, e, open) {
		p.fence = m.Sequence
		return
	}
	p.fence, p.valid = m.Sequence, m.Sequence
	p.batches++
	if p.first.IsZero() {
		p.first = m.Time
	}
	p.last = m.Time
	p.heads.add(m.Sequence, e.head)
	p.content(c, m, open)
	if !p.displaced {
		p.checkKey(c, m)
		p.link(c, m)
	}
	p.displaced = false
	p.stream.v.anchored.saw(p.stream.Name, p.number, m.Sequence, e.head)
}

// suspect keeps a message that is not a valid checkpoint until the next valid one.
func (p *partition) suspect(c *proof.Checkpoint, m proof.Message, reason string, open []waiting) {
	const most = 100
	if len(p.suspects) == most {
		p.decide(p.suspects[0], false)
		p.suspects = p.suspects[1:]
	}
	hash := m.Hash()
	s := suspect{sequence: m.Sequence, digest: hex.EncodeToString(hash[:]), reason: reason, rest: open}
	if c != nil {
		s.edited = c.Previous == p.head && int64(c.Fence)+p.shift == int64(p.fence) && p.expects(c.Key)
		s.rest = nil
		for _, w := range open {
			if c.Fits(m.Sequence, w.sequence, w.hash) {
				s.covered++
			} else {
				s.rest = append(s.rest, w)
			}
		}
	}
	p.suspects = append(p.suspects, s)
	p.fence = m.Sequence
}

// decide reports a suspect.
func (p *partition) decide(s suspect, edited bool) {
	if edited {
		p.fault(Finding{
			Kind: EditedCheckpoint, Sequence: s.sequence, Digest: s.digest,
			What: fmt.Sprintf("the checkpoint that the stage committed here was changed: %s; %d messages are not proven", s.reason, s.covered+len(s.rest)),
		})
		return
	}
	p.fault(Finding{
		Kind: ForgedCheckpoint, Sequence: s.sequence, Digest: s.digest,
		What: fmt.Sprintf("a checkpoint that the stage did not commit, with %d messages: %s", s.covered, s.reason),
	})
	p.forged(s.rest)
}

// end reports what is still waiting at the end of the stream.
func (p *partition) end() {
	for _, s := range p.suspects {
		p.decide(s, s.edited)
	}
	p.suspects = nil
	for _, w := range p.open {
		p.strays.add(w)
	}
	p.open = nil
	for _, w := range p.unproven(p.strays.unfinished()) {
		why := noBatch
		if w.sequence > p.valid {
			why = notYet
		}
		p.inNoBatch(w, why)
	}
}

// unproven returns the messages that were too young to age out. For older ones, the checkpoint may have
// aged out between reading the message and reading the checkpoint.
func (at spot) unproven(messages []waiting) []waiting {
	return slices.DeleteFunc(messages, func(w waiting) bool {
		return at.stream.canAge() && !w.stored.After(at.stream.until.Add(slack(at.stream.MaxAge)-at.stream.MaxAge))
	})
}

// head is a checkpoint: its place and the start of its digest.
type head struct {
	sequence uint64
	digest   [16]byte
}

// maxHeads limits how many checkpoints of a partition the next stage's are compared with. A stage that is
// further ahead is compared with the latest ones.
const maxHeads = 1 << 18

// heads are the checkpoints of one partition of a stream, in order.
type heads struct {
	list  []head
	cut   uint64 // checkpoints up to this sequence are no longer listed
	first uint64
	last  uint64
}

func short(digest string) (out [16]byte) {
	raw, err := hex.DecodeString(digest)
	if err == nil {
		copy(out[:], raw)
	}
	return out
}

func (h *heads) add(sequence uint64, digest string) {
	if len(h.list) >= maxHeads {
		half := len(h.list) / 2
		h.cut = h.list[half-1].sequence
		h.list = append(h.list[:0], h.list[half:]...)
	}
	if h.first == 0 {
		h.first = sequence
	}
	h.last = sequence
	h.list = append(h.list, head{sequence, short(digest)})
}

// at returns the digest of the checkpoint at a sequence.
func (h *heads) at(sequence uint64) (digest [16]byte, found bool) {
	i := sort.Search(len(h.list), func(i int) bool { return h.list[i].sequence >= sequence })
	if i == len(h.list) || h.list[i].sequence != sequence {
		return digest, false
	}
	return h.list[i].digest, true
}
