package nats

import "context"

// Last returns the sequence of the last checkpoint that the stage has committed, 0
// for none. Once [Reader.Seen] reaches it, the reader has read what there was.
func (r *Reader) Last(ctx context.Context) (uint64, error) {
	last, err := r.store.Last(ctx, r.checkpoints())
	if err != nil || last == nil {
		return 0, err
	}
	return last.Sequence, nil
}

// Seen returns the sequence of the last message read, accepted or not.
func (r *Reader) Seen() uint64 { return r.seen }

// Drained reports whether all events of the commits read so far were handed out.
func (r *Reader) Drained() bool { return len(r.accepted) == 0 }
