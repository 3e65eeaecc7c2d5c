package nats

import "context"

// Skipping makes a reader miss what a consumer skips.
func (r *Reader) Skipping(over func(subject string, sequence uint64) bool) {
	r.feed = lossy{r.feed, over}
}

type lossy struct {
	messages
	over func(subject string, sequence uint64) bool
}

func (l lossy) next(ctx context.Context) (message, error) {
	for {
		m, err := l.messages.next(ctx)
		if err != nil || !l.over(m.Subject, m.Sequence) {
			return m, err
		}
	}
}
