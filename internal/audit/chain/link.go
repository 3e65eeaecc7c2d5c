package chain

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// consumed is what the checkpoints of a partition state about the source of their stage.
type consumed struct {
	spot
	position engine.Position
	linked   map[Kind]linked // findings about the source, reported once
}

// link compares what a checkpoint states about its source with the source (EV-7).
func (r *consumed) link(c *proof.Checkpoint, m proof.Message) {
	if c.Position.Sequence < r.position.Sequence {
		r.fault(Finding{
			Kind: WentBack, Sequence: m.Sequence, What: "the stage consumed input again that it had consumed before",
			Expected: fmt.Sprintf("at least %d", r.position.Sequence), Found: fmt.Sprint(c.Position.Sequence),
		})
	}
	r.position = c.Position
	source := r.stream.source
	if source == nil || c.Position.Sequence == 0 {
		return
	}
	if source.Missing {
		r.sourceGone(c)
		return
	}
	if source.Created.After(m.Time) && !source.recreated {
		source.recreated = true
		source.fault(Finding{
			Kind: Recreated, Partition: WholeStream, What: fmt.Sprintf("it was created at %s, but %s read it at %s", clock(source.Created), r.stream.stage, clock(m.Time)),
		})
	}
	if source.Name == events.StreamInput {
		if c.Position.Sequence > source.Last && !source.recreated && !source.cut {
			source.cut = true
			r.once(TailCut, Finding{
				Sequence: source.Last + 1, Through: c.Position.Sequence,
				What: fmt.Sprintf("ingest consumed it through %d, but it ends at %d", c.Position.Sequence, source.Last),
			})
		}
		return
	}
	if c.Position.Anchor > 0 && c.Position.Head != "" {
		r.compare(c.Position.Anchor, c.Position.Head, m)
	}
}

// sourceGone reports that INPUT does not exist although ingest consumed it. [Verify] does so for the other
// streams.
func (r *consumed) sourceGone(c *proof.Checkpoint) {
	source := r.stream.source
	if source.Name != events.StreamInput || source.cut {
		return
	}
	source.cut = true
	source.fault(Finding{
		Kind: StreamGone, Partition: WholeStream, What: fmt.Sprintf("the stream does not exist, but ingest consumed it through %d", c.Position.Sequence),
	})
}

// compare looks up a head that this stage consumed.
func (r *consumed) compare(sequence uint64, digest string, m proof.Message) {
	source := r.stream.source
	known := source.heads[r.number]
	by := fmt.Sprintf("%s at %d names the checkpoint %s at %d", r.stream.Name, m.Sequence, digestOf(digest), sequence)
	switch {
	case known == nil || known.first == 0:
		if !source.agedOut(r.number, sequence) {
			r.once(PartitionGone, Finding{Sequence: sequence, What: by + ", but the partition holds no checkpoint"})
		}
	case sequence <= known.cut:
	case sequence > known.last:
		r.once(TailCut, Finding{Sequence: known.last + 1, Through: sequence, What: by + fmt.Sprintf(", but the last one kept is at %d", known.last)})
	default:
		r.disagrees(known, sequence, digest, by)
	}
}

// disagrees reports a head that is not at its place in the source.
func (r *consumed) disagrees(known *heads, sequence uint64, digest, by string) {
	source := r.stream.source
	at, found := known.at(sequence)
	switch {
	case found && at == short(digest), source.blamed(r.number, sequence):
	case found:
		r.once(Rewritten, Finding{Sequence: sequence, What: by + ", but a different checkpoint is there", Expected: digestOf(digest), Found: fmt.Sprintf("%x", at[:8])})
	case source.agedOut(r.number, sequence):
	case sequence < known.first:
		r.once(HeadCut, Finding{Sequence: sequence, What: by + ", but it was removed before its age"})
	default:
		r.once(Rewritten, Finding{Sequence: sequence, What: by + ", but there is none"})
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
func (r *consumed) once(kind Kind, f Finding) {
	if r.linked == nil {
		r.linked = map[Kind]linked{}
	}
	shown := fmt.Sprint(f.Sequence, f.Through, f.Found)
	if at, found := r.linked[kind]; found {
		if at.finding < len(r.stream.v.list) && at.shown != shown {
			r.stream.v.list[at.finding].also(shown)
			r.linked[kind] = linked{at.finding, shown}
		}
		return
	}
	r.linked[kind] = linked{len(r.stream.v.list), shown}
	f.Kind, f.Partition = kind, r.number
	if r.stream.source.Name == events.StreamInput {
		f.Partition = WholeStream
	}
	r.stream.source.fault(f)
}
