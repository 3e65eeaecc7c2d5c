// Package link translates the configuration into what internal/engine/nats needs: how to reach the
// broker, what the broker must hold, and whose checkpoints count.
package link

import (
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/loopback"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Stages lists the services that run a machine, in the order of the pipeline.
var Stages = []string{"ingest", "evaluator", "dispatcher"}

// Options returns how a process of the given name connects to the broker.
func Options(c config.Config, name string) nats.ConnectOptions {
	o := nats.ConnectOptions{URL: c.NATS.URL, Name: name, Creds: c.NATS.Credentials}
	if c.NATS.User != "" {
		o.Extra = append(o.Extra, nats.UserPassword(c.NATS.User, expand(c.NATS.Password)))
	}
	o.Extra = append(o.Extra, nats.TLS(c.NATS.TLSCA, c.NATS.TLSCert, c.NATS.TLSKey)...)
	return o
}

// As is like Options, for one role of a person or program. If the configuration names no user, it uses the
// key that a system on this machine made for the role; a key is never sent to another machine. Name is the
// prefix of the connection's name.
func As(c config.Config, role credential.Role, name string) nats.ConnectOptions {
	if Named(c) || !Local(c.NATS.URL) || strings.Contains(c.NATS.URL, "@") {
		return Options(c, name)
	}
	if c.NATS.Credentials = credential.Find(c.Security.Credentials, role); c.NATS.Credentials != "" {
		name = "cli_" + string(role)
	}
	return Options(c, name)
}

// Named reports whether the configuration names a user.
func Named(c config.Config) bool { return c.NATS.User != "" || c.NATS.Credentials != "" }

// Local reports whether all servers of a list are on this machine.
func Local(servers string) bool {
	for server := range strings.SplitSeq(servers, ",") {
		u, err := url.Parse(strings.TrimSpace(server))
		if err != nil || !loopback.Is(u.Hostname()) {
			return false
		}
	}
	return true
}

// Topology returns what the configuration requires of the broker.
func Topology(c config.Config) topology.Topology {
	s := c.Streams
	t := topology.Topology{
		Partitions: s.Partitions, Replicas: s.Replicas, InputAge: s.InputMaxAge, InputQuota: s.InputQuota,
		Ages: map[events.Stream]time.Duration{}, Bytes: map[events.Stream]int64{events.StreamInput: s.InputMaxBytes, events.StreamDeadLetter: s.DeadLetters.MaxBytes},
	}
	for stream, limits := range map[events.Stream]config.StreamLimits{
		events.StreamSegments: s.Segments, events.StreamSignals: s.Signals, events.StreamDecisions: s.Decisions,
	} {
		t.Ages[stream], t.Bytes[stream] = limits.Age(s.OutputMaxAge), limits.MaxBytes
	}
	t.Ages[events.StreamDeadLetter] = s.DeadLetters.MaxAge
	for _, text := range s.Intakes {
		if i, err := config.ParseIntake(text); err == nil { // checked when the configuration was read
			t.Intakes = append(t.Intakes, topology.Intake(i))
		}
	}
	return t
}

// expand replaces "$NAME" by its environment variable, so that no file needs to hold a password.
func expand(value string) string {
	if name, ok := strings.CutPrefix(value, "$"); ok {
		return os.Getenv(name)
	}
	return value
}
