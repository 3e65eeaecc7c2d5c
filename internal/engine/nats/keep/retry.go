package keep

import (
	"context"
	"math/rand/v2"
	"time"
)

// Retry repeats an attempt until ctx ends and calls failed with the error of each. The pause
// between attempts grows until one makes progress.
func Retry(ctx context.Context, attempt func() (progressed bool, err error), failed func(error)) {
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		progressed, err := attempt()
		if ctx.Err() != nil {
			return
		}
		failed(err)
		if progressed {
			pause = 50 * time.Millisecond
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}
