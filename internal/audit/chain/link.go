package chain

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// link compares what a checkpoint states about its source with the source (EV-7).
func (p *partition) link(c *proof.Checkpoint, m proof.Message) {
	if c.Position.Sequence < p.position.Sequence {
		p.fault(Finding{
			Kind: WentBack, Sequence: m.Sequence, What: "the stage consumed input again that it had consumed before",
			Expected: fmt.Sprintf("at least %d", p.position.Sequence), Found: fmt.Sprint(c.Position.Sequence),
		})
	}
	p.position = c.Position
	source := p.stream.source
	if source == nil || c.Position.Sequence == 0 {
		return
	}
	if source.Missing {
		p.sourceGone(c)
		return
	}
	if source.Created.After(m.Time) && !source.recreated {
		source.recreated = true
		source.fault(Finding{
			Kind: Recreated, Partition: WholeStream, What: fmt.Sprintf("it was created at %s, but %s read it at %s", clock(source.Created), p.stream.stage, clock(m.Time)),
		})
	}
	if source.Name == events.StreamInput {
		if c.Position.Sequence > source.Last && !source.recreated && !source.cut {
			source.cut = true
			p.once(TailCut, Finding{
				Sequence: source.Last + 1, Through: c.Position.Sequence,
				What: fmt.Sprintf("ingest consumed it through %d, but it ends at %d", c.Position.Sequence, source.Last),
			})
		}
		return
	}
	if c.Position.Anchor > 0 && c.Position.Head != "" {
		p.compare(c.Position.Anchor, c.Position.Head, m)
	}
}

// sourceGone reports that INPUT does not exist although ingest consumed it. [Verify] does so for the other
// streams.
func (p *partition) sourceGone(c *proof.Checkpoint) {
	source := p.stream.source
	if source.Name != events.StreamInput || source.cut {
		return
	}
	source.cut = true
	source.fault(Finding{
		Kind: StreamGone, Partition: WholeStream, What: fmt.Sprintf("the stream does not exist, but ingest consumed it through %d", c.Position.Sequence),
	})
}

// compare looks up a head that this stage consumed.
func (p *partition) compare(sequence uint64, digest string, m proof.Message) {
	source := p.stream.source
	known := source.heads[p.number]
	by := fmt.Sprintf("%s at %d names the checkpoint %s at %d", p.stream.Name, m.Sequence, digestOf(digest), sequence)
	switch {
	case known == nil || known.first == 0:
		if !source.agedOut(p.number, sequence) {
			p.once(PartitionGone, Finding{Sequence: sequence, What: by + ", but the partition holds no checkpoint"})
		}
	case sequence <= known.cut:
	case sequence > known.last:
		p.once(TailCut, Finding{Sequence: known.last + 1, Through: sequence, What: by + fmt.Sprintf(", but the last one kept is at %d", known.last)})
	default:
		p.disagrees(known, sequence, digest, by)
	}
}

// disagrees reports a head that is not at its place in the source.
func (p *partition) disagrees(known *heads, sequence uint64, digest, by string) {
	source := p.stream.source
	at, found := known.at(sequence)
	switch {
	case found && at == short(digest), source.blamed(p.number, sequence):
	case found:
		p.once(Rewritten, Finding{Sequence: sequence, What: by + ", but a different checkpoint is there", Expected: digestOf(digest), Found: fmt.Sprintf("%x", at[:8])})
	case source.agedOut(p.number, sequence):
	case sequence < known.first:
		p.once(HeadCut, Finding{Sequence: sequence, What: by + ", but it was removed before its age"})
	default:
		p.once(Rewritten, Finding{Sequence: sequence, What: by + ", but there is none"})
	}
}

// blamed reports whether a finding of the stream already covers a place.
func (s *stream) blamed(partition int, sequence uint64) bool {
	for _, f := range s.v.list {
		if f.Stream == string(s.Name) && (f.Partition == partition || f.Partition == WholeStream) &&
			f.Sequence <= sequence && sequence <= max(f.Through, f.Sequence) {
			return true
		}
	}
	return false
}

// linked is the reported finding of a kind about the source, with what showed it last.
type linked struct {
	finding int // its index
	shown   string
}

// once reports only the first fault of each kind in the source's partition. What else shows it goes into
// its digest.
func (p *partition) once(kind Kind, f Finding) {
	if p.linked == nil {
		p.linked = map[Kind]linked{}
	}
	shown := fmt.Sprint(f.Sequence, f.Through, f.Found)
	if at, found := p.linked[kind]; found {
		if at.finding < len(p.stream.v.list) && at.shown != shown {
			p.stream.v.list[at.finding].also(shown)
			p.linked[kind] = linked{at.finding, shown}
		}
		return
	}
	p.linked[kind] = linked{len(p.stream.v.list), shown}
	f.Kind, f.Partition = kind, p.number
	if p.stream.source.Name == events.StreamInput {
		f.Partition = WholeStream
	}
	p.stream.source.fault(f)
}
