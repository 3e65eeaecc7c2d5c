package config

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/loopback"
)

// validate checks ranges; its error names, for each problem, where the value came from and what is allowed.
func validate(c Config, origins map[string]string) error {
	var problems []error
	check := func(ok bool, key string, value any, cure string) {
		if ok {
			return
		}
		origin := origins[key]
		if origin == "" {
			origin = "default"
		}
		problems = append(problems, fmt.Errorf("%s: %s = %v; %s", origin, key, value, cure))
	}
	check(c.Streams.Partitions >= 1 && c.Streams.Partitions <= 256, "streams.partitions", c.Streams.Partitions, "must be 1 to 256")
	check(slices.Contains([]int{1, 3, 5}, c.Streams.Replicas), "streams.replicas", c.Streams.Replicas, "must be 1, 3 or 5")
	check(c.Streams.InputMaxAge > 0, "streams.input_max_age", c.Streams.InputMaxAge, "must be more than 0, for example 24h: raw input holds secrets and is short-lived")
	check(c.Streams.OutputMaxAge >= 0, "streams.output_max_age", c.Streams.OutputMaxAge, "must be 0 (forever) or more")
	checkStreams(c.Streams, check)
	checkIntakes(c.Streams, check)
	check(c.Stage.MaxBatch >= 1 && c.Stage.MaxBatch <= 900, "stage.max_batch", c.Stage.MaxBatch, "must be 1 to 900")
	check(c.Stage.StateBytes == 0 || c.Stage.StateBytes >= 1<<20, "stage.state_bytes", c.Stage.StateBytes, "must be at least 1048576 (1 MiB), or 0 for an eighth of the memory of the machine")
	check(c.Stage.StepTimeout > 0, "stage.step_timeout", c.Stage.StepTimeout, "must be more than 0")
	check(c.Session.IdleTimeout >= 0, "session.idle_timeout", c.Session.IdleTimeout, "must be 0 (never) or more")
	for _, format := range c.Reports.Formats {
		check(slices.Contains([]string{"md", "json", "html"}, format), "reports.formats", format, "must be md, json or html")
	}
	check(c.Reports.DatabaseBytes >= 1<<20, "reports.database_bytes", c.Reports.DatabaseBytes, "must be at least 1048576 (1 MiB)")
	check((c.Reports.People == "") == (c.Reports.Operator == ""), "reports.people", c.Reports.People, "reports.people and reports.operator require each other")
	check(c.Audit.AnchorEvery == 0 || c.Audit.AnchorEvery >= time.Second, "audit.anchor_every", c.Audit.AnchorEvery, "must be at least 1s, or 0 for no anchors")
	check(c.Audit.AnchorWebhook == "" || strings.HasPrefix(c.Audit.AnchorWebhook, "https://") || strings.HasPrefix(c.Audit.AnchorWebhook, "http://"), "audit.anchor_webhook", c.Audit.AnchorWebhook, "must be an http or https URL")
	check(c.Audit.AnchorGit == "" || filepath.IsAbs(c.Audit.AnchorGit), "audit.anchor_git", c.Audit.AnchorGit, "must be the absolute path of a folder in a Git repository")
	check(c.Hooks.Wait >= 0 && c.Hooks.Wait <= time.Second, "hooks.wait", c.Hooks.Wait, "must be 0 (do not wait) to 1s: the agent waits as long")
	check(c.Hooks.ChecksLimit >= time.Second && c.Hooks.ChecksLimit <= time.Hour, "hooks.checks_limit", c.Hooks.ChecksLimit, "must be 1s to 1h")
	check(slices.Contains([]string{"debug", "info", "warn", "error"}, c.Log.Level), "log.level", c.Log.Level, "must be debug, info, warn or error")
	check(slices.Contains([]string{"json", "text"}, c.Log.Format), "log.format", c.Log.Format, "must be json or text")
	check((c.NATS.TLSCert == "") == (c.NATS.TLSKey == ""), "nats.tls_cert", c.NATS.TLSCert, "nats.tls_cert and nats.tls_key require each other")
	checkHTTP(c.HTTP, check)
	checkAdvisor(c.Advisor, check)
	return errors.Join(problems...)
}

// checkHTTP requires a token and TLS beyond loopback (EV-11).
func checkHTTP(h HTTP, check func(ok bool, key string, value any, cure string)) {
	if h.Address == "" {
		return
	}
	host, _, err := net.SplitHostPort(h.Address)
	check(err == nil, "http.address", h.Address, "must be host:port, for example 127.0.0.1:8080")
	if err != nil {
		return
	}
	check(loopback.Is(host) || h.Token != "" && h.TLSCert != "" && h.TLSKey != "", "http.address", h.Address,
		"beyond loopback, http.token, http.tls_cert and http.tls_key are required")
	check((h.TLSCert == "") == (h.TLSKey == ""), "http.tls_cert", h.TLSCert, "http.tls_cert and http.tls_key require each other")
}

// leastStreamBytes is the smallest limit of a stream: a few commits of the largest turns.
const leastStreamBytes = 64 << 20

// checkStreams requires that each stream keeps its events at least as long as the previous one: a stage
// without a checkpoint starts over with everything in its source.
func checkStreams(s Streams, check func(ok bool, key string, value any, cure string)) {
	before, beforeKey := s.InputMaxAge, "streams.input_max_age"
	for _, stream := range []struct {
		name   string
		limits StreamLimits
	}{{"segments", s.Segments}, {"signals", s.Signals}, {"decisions", s.Decisions}} {
		key := "streams." + stream.name + ".max_age"
		age := stream.limits.Age(s.OutputMaxAge)
		if stream.limits.MaxAge == 0 && age > 0 {
			key = "streams.output_max_age"
		}
		check(age == 0 || before > 0 && age >= before, key, age, "must be at least "+beforeKey+", or 0 (forever): a stream must keep its events as long as the previous one")
		before, beforeKey = age, key
	}
	check(s.DeadLetters.MaxAge >= 0, "streams.dead_letters.max_age", s.DeadLetters.MaxAge, "must be 0 (forever) or more")
	check(s.InputQuota >= 0, "streams.input_quota", s.InputQuota, "must be 0 (no limit) or more")
	for key, bytes := range map[string]int64{
		"streams.input_max_bytes": s.InputMaxBytes, "streams.segments.max_bytes": s.Segments.MaxBytes, "streams.signals.max_bytes": s.Signals.MaxBytes,
		"streams.decisions.max_bytes": s.Decisions.MaxBytes, "streams.dead_letters.max_bytes": s.DeadLetters.MaxBytes,
	} {
		check(bytes == 0 || bytes >= leastStreamBytes, key, bytes, "must be at least 67108864 (64 MiB), or 0 for no limit")
	}
}
