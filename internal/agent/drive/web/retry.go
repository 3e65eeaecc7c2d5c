package web

import (
	"context"
	"time"
)

const (
	retryMin = 200 * time.Millisecond
	retryMax = 5 * time.Second
)

// Again calls attempt until ctx ends, with growing pauses while it fails. An attempt that reports progress
// resets the pauses.
func Again(ctx context.Context, attempt func() (progress bool)) {
	for pause := retryMin; ctx.Err() == nil; pause = min(2*pause, retryMax) {
		if attempt() {
			pause = retryMin
		}
		Wait(ctx, pause)
	}
}

// Wait pauses, at most until ctx ends.
func Wait(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
