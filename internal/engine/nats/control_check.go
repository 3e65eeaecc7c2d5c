package nats

import "context"

// CheckControl names the keys of CONTROL, sorted, whose value is not what
// DECISIONS says. It changes nothing; while a dispatcher decides, a key may be
// behind for a moment.
func (b *Broker) CheckControl(ctx context.Context) ([]string, error) {
	bucket, err := b.controlBucket(ctx)
	if err != nil {
		return nil, err
	}
	different, err := b.compareControl(ctx, bucket)
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(different))
	for _, d := range different {
		keys = append(keys, d.want.key)
	}
	return keys, nil
}
