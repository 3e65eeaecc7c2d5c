package nats

import (
	"context"
	"math/rand/v2"
	"time"
)

// persist repeats an attempt until ctx ends, with growing pauses while it gets
// nowhere; failed hears each error.
func persist(ctx context.Context, attempt func() (gotOn bool, err error), failed func(error)) {
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		gotOn, err := attempt()
		if ctx.Err() != nil {
			return
		}
		failed(err)
		if gotOn {
			pause = 50 * time.Millisecond
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}
