package service

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
)

// reloader reads the settings again on SIGHUP. Only the log level changes immediately: all other settings,
// and the files that they name, are part of connections, streams and machines in use, so they take effect at
// the next start, and the log names them.
type reloader struct {
	log    *slog.Logger
	now    config.Config
	files  map[string]stamp // content of the files that now names, by key
	read   func() (config.Config, error)
	adjust func(level string) error
}

// stamp stands for the content of a file, the zero value for one that cannot be read.
type stamp [sha256.Size]byte

// stamps returns the content of the files that a configuration names.
func stamps(c config.Config) map[string]stamp {
	all := map[string]stamp{}
	for key, name := range config.Files(c) {
		all[key] = stamp{}
		if data, err := os.ReadFile(name); err == nil { //nolint:gosec // named by the operator
			all[key] = sha256.Sum256(data)
		}
	}
	return all
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
	for key, content := range stamps(next) {
		if before, named := r.files[key]; named && content != before && !slices.Contains(later, key) {
			later = append(later, key)
		}
	}
	slices.Sort(later)
	r.log.Warn("the configuration was reloaded", "log.level", next.Log.Level, "needs a restart", later)
}

// hangups returns a channel for SIGHUP and a function that stops the delivery.
func hangups() (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	return signals, func() { signal.Stop(signals) }
}
