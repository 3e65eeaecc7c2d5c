// Package obs makes a service observable: its log and its metrics.
package obs

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Logger returns a logger to out with a level and format (see config.Log).
func Logger(out io.Writer, level, format, service string) (*slog.Logger, error) {
	log, _, err := AdjustableLogger(out, level, format, service)
	return log, err
}

// AdjustableLogger is like Logger, and also returns a function that changes the level.
func AdjustableLogger(out io.Writer, level, format, service string) (log *slog.Logger, adjust func(level string) error, err error) {
	var at slog.LevelVar
	adjust = func(level string) error {
		var next slog.Level
		if err := next.UnmarshalText([]byte(level)); err != nil {
			return fmt.Errorf("log level %q: must be debug, info, warn or error", level)
		}
		at.Set(next)
		return nil
	}
	if err := adjust(level); err != nil {
		return nil, nil, err
	}
	options := &slog.HandlerOptions{Level: &at}
	var handler slog.Handler = slog.NewJSONHandler(out, options)
	if format == "text" {
		handler = slog.NewTextHandler(out, options)
	}
	return slog.New(handler).With("service", service), adjust, nil
}

// Registry returns a metrics registry with the process's own metrics.
func Registry(version, rules string) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	info(r, "scaffoldwatch_build_info", "Version of the build and of its rule data; always 1.", prometheus.Labels{"version": version, "rules": rules})
	return r
}
