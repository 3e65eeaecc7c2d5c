package chain

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// content checks the messages of a batch against its checkpoint.
func (p *partition) content(c *proof.Checkpoint, m proof.Message, open []waiting) {
	if uint64(c.Count) >= m.Sequence {
		p.fault(Finding{Kind: EditedCheckpoint, Sequence: m.Sequence, What: fmt.Sprintf("it counts %d messages, more than come before it", c.Count)})
		return
	}
	first := m.Sequence - uint64(c.Count)
	for len(open) > 0 && open[0].sequence < first {
		if open[0].sequence >= p.orphaned {
			p.strays.add(open[0])
		}
		open = open[1:]
	}
	found := map[uint64]bool{}
	var hashes [][32]byte
	whole := true
	for _, w := range open {
		found[w.sequence] = true
		if !c.Fits(m.Sequence, w.sequence, w.hash) {
			whole = false
			p.changed(c, m.Sequence, w)
			continue
		}
		if w.sequence < first+uint64(c.Outputs) {
			hashes = append(hashes, w.hash)
			p.strays.committed(w.hash, m.Sequence)
			if proof.IsRecord(w.subject) {
				p.recorded(w, m.Sequence)
				continue
			}
			p.output(w)
		} else if isSkip(w.subject) { // earlier builds counted them with the snapshots
			p.skip(w)
		}
	}
	if p.absent(c, m, found); whole && len(hashes) == c.Outputs && proof.Digest(hashes) != c.Digest {
		p.fault(Finding{
			Kind: EditedCheckpoint, Sequence: m.Sequence, What: "its digest is not that of its messages",
			Expected: digestOf(proof.Digest(hashes)), Found: digestOf(c.Digest),
		})
	}
	p.stream.missing.remove(first, m.Sequence)
	p.stream.gaps.remove(first, m.Sequence)
}

// changed reports a message that differs from the one committed in its place.
func (p *partition) changed(c *proof.Checkpoint, own uint64, w waiting) {
	first := own - uint64(c.Count)
	for i := range uint64(c.Count) {
		if c.Fits(own, first+i, w.hash) {
			p.fault(Finding{Kind: MovedEvent, Sequence: w.sequence, What: fmt.Sprintf("this event was committed at %d", first+i), Found: clip(w.subject), Digest: hex.EncodeToString(w.hash[:])})
			return
		}
	}
	p.fault(Finding{
		Kind: EditedEvent, Sequence: w.sequence, What: "its subject, a header or its data is not what was committed",
		Expected: fmt.Sprintf("mark %x", c.Marks[(w.sequence-first)*proof.MarkSize:][:4]), Found: fmt.Sprintf("%x of %s", w.hash[:4], clip(w.subject)), Digest: hex.EncodeToString(w.hash[:]),
	})
}

// output checks an event that its batch proves.
func (p *partition) output(w waiting) {
	p.events++
	if isSkip(w.subject) {
		p.skip(w)
	}
	if internal(w.subject) {
		return
	}
	p.stream.v.named(w)
	if !subjects.Fits(events.Type(w.typ), w.subject) {
		p.fault(Finding{Kind: WrongType, Sequence: w.sequence, What: "the type of the event does not match its subject", Expected: clip(w.subject), Found: clip(w.typ)})
	}
	if w.data != nil {
		p.stream.v.stated(w)
	}
	if of := subjects.Partition(group(w.subject), p.stream.v.options.Partitions); of != p.number {
		p.fault(Finding{Kind: WrongPartition, Sequence: w.sequence, What: "the group of the event belongs to another partition", Expected: fmt.Sprint(of), Found: fmt.Sprint(p.number)})
	}
}

// absent reports the events of a batch that are gone. Snapshots may be missing: a later one of the same
// group replaces them.
func (p *partition) absent(c *proof.Checkpoint, m proof.Message, found map[uint64]bool) {
	first := m.Sequence - uint64(c.Count)
	for i := range uint64(c.Count) {
		sequence := first + i
		switch {
		case found[sequence]:
		case i >= uint64(c.Outputs):
			p.stream.replaced++
		case p.stream.aged(sequence) && m.Time.Before(p.stream.Now.Add(-p.stream.MaxAge)):
		default:
			p.erased(missingEvent{sequence: sequence, number: int(i) + 1, of: c.Outputs, end: m.Sequence, stored: m.Time, aged: p.stream.aged(sequence)})
		}
	}
}

// span is a range of sequences, both included.
type span struct{ first, last uint64 }

// holes are the missing sequences, in order.
type holes struct{ spans []span }

func (h *holes) add(first, last uint64) {
	if first <= last {
		h.spans = append(h.spans, span{first, last})
	}
}

// remove removes a range.
func (h *holes) remove(first, last uint64) {
	at := len(h.spans)
	for at > 0 && h.spans[at-1].last >= first {
		at--
	}
	var kept []span
	for _, s := range h.spans[at:] {
		if s.first < first {
			kept = append(kept, span{s.first, min(s.last, first-1)})
		}
		if s.last > last {
			kept = append(kept, span{max(s.first, last+1), s.last})
		}
	}
	h.spans = append(h.spans[:at], kept...)
}

// through returns the missing range that ends at or contains a sequence, limited to what comes after
// another sequence.
func (h *holes) through(sequence, after uint64) (span, bool) {
	i := slices.IndexFunc(h.spans, func(s span) bool { return s.first <= sequence && sequence <= s.last })
	if i < 0 {
		return span{}, false
	}
	return span{max(h.spans[i].first, after+1), sequence}, true
}

// internal reports whether a message is a snapshot or a skip.
func internal(subject string) bool {
	return strings.HasPrefix(subject, "snap.") || strings.HasPrefix(subject, "skip.")
}

// place returns the partition in a subject, -1 if it has none.
func place(subject string) (partition int, isCheckpoint bool) {
	if !internal(subject) {
		return proof.Partition(subject)
	}
	tokens := strings.SplitN(subject, ".", 4)
	if len(tokens) < 4 {
		return -1, false
	}
	partition, err := strconv.Atoi(tokens[2])
	if err != nil {
		return -1, false
	}
	return partition, false
}

// group returns the group in an event's subject.
func group(subject string) string {
	tokens := strings.Split(subject, ".")
	if len(tokens) < 2 {
		return ""
	}
	return tokens[len(tokens)-2]
}

// clip shortens untrusted text of a message.
func clip(s string) string {
	return strconv.QuoteToGraphic(text.Cut(s, 80))
}

func digestOf(digest string) string {
	if digest == "" {
		return "none"
	}
	return digest[:min(len(digest), 16)]
}
