package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// WatchControl gives take every value of the CONTROL bucket, first as they are
// and then as they change, until ctx ends or the broker fails (EV-8). A key that
// goes away comes with nil; an unreadable value is ControlUnknown. Complete is
// called once, when what was there at the beginning has been given.
func (b *Broker) WatchControl(ctx context.Context, take func(key string, value *runevents.Control), complete func()) error {
	bucket, err := b.js.KeyValue(ctx, BucketControl)
	if err != nil {
		return fmt.Errorf("open the bucket %s: %w", BucketControl, err)
	}
	watcher, err := bucket.WatchAll(ctx)
	if err != nil {
		return fmt.Errorf("watch the bucket %s: %w", BucketControl, err)
	}
	defer func() { _ = watcher.Stop() }()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case entry, open := <-watcher.Updates():
			switch {
			case !open:
				return errors.New("watch the bucket " + BucketControl + ": the connection was closed")
			case entry == nil:
				complete()
			case entry.Operation() == jetstream.KeyValuePut:
				take(entry.Key(), controlValue(entry.Value()))
			default:
				take(entry.Key(), nil)
			}
		}
	}
}

func controlValue(data []byte) *runevents.Control {
	c := &runevents.Control{}
	if err := json.Unmarshal(data, c); err != nil {
		return &runevents.Control{State: runevents.ControlUnknown, Why: "unreadable control state"}
	}
	return c
}
