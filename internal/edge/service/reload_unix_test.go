//go:build unix

package service

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
)

// The signal itself: each SIGHUP reads the settings again, and ends nothing.
func TestEachHangupReadsTheSettings(t *testing.T) {
	signals, ignore := hangups()
	defer ignore()
	ctx, stop := context.WithCancel(t.Context())
	done, levels := make(chan struct{}), make(chan string)
	r := &reloader{
		log: slog.New(slog.NewTextHandler(&bytes.Buffer{}, nil)), now: config.Default(),
		read: func() (config.Config, error) {
			next := config.Default()
			next.Log.Level = "debug"
			return next, nil
		},
		adjust: func(level string) error {
			levels <- level
			return nil
		},
	}
	go func() {
		defer close(done)
		r.run(ctx, signals)
	}()
	for range 2 {
		require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
		require.Equal(t, "debug", <-levels)
	}
	stop()
	<-done
}
