package service

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
)

// reloader reads the settings again on SIGHUP. Only the log level changes immediately: all other settings
// are part of connections, streams and machines in use, so they take effect at the next start, and the log
// names them.
type reloader struct {
	log    *slog.Logger
	now    config.Config
	read   func() (config.Config, error)
	adjust func(level string) error
}

// run reloads on each SIGHUP until ctx ends. The caller has already registered signals.
func (r *reloader) run(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			r.reload()
		}
	}
}

func (r *reloader) reload() {
	next, err := r.read()
	if err == nil {
		err = r.adjust(next.Log.Level)
	}
	if err != nil {
		r.log.Error("the configuration was not reloaded; the current one stays in effect", "error", err)
		return
	}
	later := slices.DeleteFunc(config.Changed(r.now, next), func(key string) bool { return key == "log.level" })
	r.log.Warn("the configuration was reloaded", "log.level", next.Log.Level, "needs a restart", later)
}

// hangups returns a channel for SIGHUP and a function that stops the delivery.
func hangups() (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	return signals, func() { signal.Stop(signals) }
}
