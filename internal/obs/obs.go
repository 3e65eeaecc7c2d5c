// Package obs makes a service observable: its log and its metrics.
package obs

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Logger writes to out as level and format say (see config.Log).
func Logger(out io.Writer, level, format, service string) (*slog.Logger, error) {
	var at slog.Level
	if err := at.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("log level %q: it takes debug, info, warn or error", level)
	}
	options := &slog.HandlerOptions{Level: at}
	var handler slog.Handler = slog.NewJSONHandler(out, options)
	if format == "text" {
		handler = slog.NewTextHandler(out, options)
	}
	return slog.New(handler).With("service", service), nil
}

// Registry is a metrics registry with the process's own figures.
func Registry(version, rules string) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	info(r, "scaffoldwatch_build_info", "Version of the build and of its rule data; always 1.", prometheus.Labels{"version": version, "rules": rules})
	return r
}
