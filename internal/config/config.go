// Package config reads the configuration of an installation: one YAML file, environment variables
// and flags; later sources override earlier ones. Every error names the source of the value, the
// problem and the cure.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/loopback"
)

// Config is the effective configuration of a service or of `scaffoldwatch up`. A value tagged names:"file" is
// the path of a file that is read when a service starts.
type Config struct {
	NATS     NATS     `koanf:"nats"`
	Streams  Streams  `koanf:"streams"`
	HTTP     HTTP     `koanf:"http"`
	Stage    Stage    `koanf:"stage"`
	Session  Session  `koanf:"session"`
	Hooks    Hooks    `koanf:"hooks"`
	Log      Log      `koanf:"log"`
	Reports  Reports  `koanf:"reports"`
	Notify   Notify   `koanf:"notify"`
	Security Security `koanf:"security"`
	Audit    Audit    `koanf:"audit"`
	Advisor  Advisor  `koanf:"advisor"`
	// Rules is the path of a YAML file that overrides rule data.
	Rules string `koanf:"rules" names:"file"`
}

// NATS configures the connection to JetStream.
type NATS struct {
	URL         string `koanf:"url"`                      // nats://host:port[,…]
	Credentials string `koanf:"credentials" names:"file"` // path of a .creds file or of an nkey seed
	User        string `koanf:"user"`
	Password    string `koanf:"password"` // "$NAME" reads the environment
	// Paths of PEM files. TLSCA is the authority that signed the servers' certificates, empty for those of
	// the operating system; the others are for servers that require client certificates.
	TLSCA   string `koanf:"tls_ca" names:"file"`
	TLSCert string `koanf:"tls_cert" names:"file"`
	TLSKey  string `koanf:"tls_key" names:"file"`
}

// Streams configures the topology (EV-4, EV-5); it takes effect when streams are created.
type Streams struct {
	Partitions   int           `koanf:"partitions"`     // 1–256, fixed once the streams exist
	Replicas     int           `koanf:"replicas"`       // 1, 3 or 5
	InputMaxAge  time.Duration `koanf:"input_max_age"`  // how long raw input is kept
	OutputMaxAge time.Duration `koanf:"output_max_age"` // for streams without their own; 0 keeps derived events forever
	// InputMaxBytes is the size at which INPUT rejects new messages: publishers keep them in their spool
	// until older input has expired. 0 means no limit.
	InputMaxBytes int64 `koanf:"input_max_bytes"`
	// InputQuota is how many messages of one type INPUT holds for one session or run before it rejects more
	// of them. 0 means no limit.
	InputQuota int64 `koanf:"input_quota"`
	// Intakes limit what the publishers of an account of nats-server may send, each as
	// ACCOUNT=MESSAGES/WINDOW.
	Intakes     []string     `koanf:"intakes"`
	Segments    StreamLimits `koanf:"segments"`
	Signals     StreamLimits `koanf:"signals"`
	Decisions   StreamLimits `koanf:"decisions"`
	DeadLetters StreamLimits `koanf:"dead_letters"`
}

// StreamLimits limits one stream. Messages beyond an age are removed; beyond a size new messages are
// rejected, so that nothing is lost that a later stage has not read (DEADLETTER removes its oldest messages
// instead).
type StreamLimits struct {
	MaxAge   time.Duration `koanf:"max_age"`
	MaxBytes int64         `koanf:"max_bytes"`
}

// Age returns the stream's own age, or the age for all streams.
func (l StreamLimits) Age(all time.Duration) time.Duration { return cmp.Or(l.MaxAge, all) }

// HTTP is the service's own interface: /livez, /readyz, /metrics and, on the
// reporter, sessions and reports.
type HTTP struct {
	Address string `koanf:"address"` // host:port; "" disables it
	Token   string `koanf:"token"`   // bearer token, required beyond loopback (EV-11)
	// Hosts are additional names by which requests may call the interface, such as that of a reverse proxy;
	// others are rejected, so that no web page reaches it by a name of its own (DNS rebinding).
	Hosts   []string `koanf:"hosts"`
	TLSCert string   `koanf:"tls_cert" names:"file"`
	TLSKey  string   `koanf:"tls_key" names:"file"`
}

// Stage configures the runner.
type Stage struct {
	Instance     string        `koanf:"instance"`      // name among the instances of a service; "" generates one
	StateBytes   int64         `koanf:"state_bytes"`   // memory for states before the oldest are evicted; 0 means an eighth of the machine's, at least 256 MiB
	MaxBatch     int           `koanf:"max_batch"`     // inputs folded before a commit, 1–900
	StepTimeout  time.Duration `koanf:"step_timeout"`  // of work; a step that needs more goes to DEADLETTER
	DrainTimeout time.Duration `koanf:"drain_timeout"` // grace period after SIGTERM
}

// Session configures the time limits of sessions.
type Session struct {
	IdleTimeout time.Duration `koanf:"idle_timeout"` // DP-30; 0 disables it
}

// Hooks configures the answers to agents' hooks.
type Hooks struct {
	// Wait limits how long the answer to a hook that ends a turn waits for the decision about that turn, so
	// that it can be emitted at once; 0 does not wait.
	Wait time.Duration `koanf:"wait"`
	// Tokens is the folder of the tokens with which agents' hooks authenticate, one file for each agent; ""
	// requires none but http.token.
	Tokens string `koanf:"tokens"`
	// Rescue saves uncommitted work in a snapshot before a command destroys it.
	Rescue bool `koanf:"rescue"`
	// Spool is the folder of what hooks decided while no system answered; "" takes nothing over.
	Spool string `koanf:"spool"`
	// RunChecks runs the project's own tests, build or linters once a response is complete that says they
	// passed, where a person let that command run in that folder; ChecksLimit bounds each.
	RunChecks   bool          `koanf:"run_checks"`
	ChecksLimit time.Duration `koanf:"checks_limit"`
}

// Log configures the service's own log on stderr.
type Log struct {
	Level  string `koanf:"level"`  // debug, info, warn, error
	Format string `koanf:"format"` // json, text
}

// Reports configures where reports of finished sessions are written, and how much the reporter keeps.
type Reports struct {
	Directory string `koanf:"directory"` // "" writes none
	// Formats lists the formats of each report: md, json, html.
	Formats []string `koanf:"formats"`
	// Database is the file of the read model; "" keeps it in memory.
	Database string `koanf:"database"`
	// DatabaseBytes limits the sessions' rows in it: those idle longest are removed first.
	DatabaseBytes int64 `koanf:"database_bytes"`
	// People is the folder of the keys with which people answer on the reporter's page, one file for each
	// person, named after them; Operator is the file of the operator's credential with which the reporter
	// publishes the answers. Unless both are set, the page only shows.
	People   string `koanf:"people"`
	Operator string `koanf:"operator" names:"file"`
}

// Audit configures the anchors that the reporter writes (AU-2).
type Audit struct {
	AnchorEvery time.Duration `koanf:"anchor_every"` // 0 writes none
	Anchors     string        `koanf:"anchors"`      // directory; "" writes no files
	// AnchorWebhook is the URL that each anchor is posted to; "" posts none.
	AnchorWebhook string `koanf:"anchor_webhook"`
	// AnchorGit is the workspace in which each anchor is appended as a Git note to HEAD; "" appends none.
	AnchorGit string `koanf:"anchor_git"`
}

// Notify configures how people are notified (PL-50).
type Notify struct {
	// File holds channels, routes and working hours; "" disables notifications.
	File string `koanf:"file" names:"file"`
	// Outbox is the file that keeps pending notifications; "" keeps them in memory.
	Outbox string `koanf:"outbox"`
}

// Security configures the installation's keys.
type Security struct {
	// FingerprintKey keys the HMAC of secret fingerprints (SW-7): "$NAME" reads the environment, a path
	// reads a file; "" uses the documented key of scan.
	FingerprintKey string `koanf:"fingerprint_key" names:"file"`
	// SigningSeed is the path of an nkey seed that signs checkpoints (EV-7).
	SigningSeed string `koanf:"signing_seed" names:"file"`
	// Credentials is the directory of the keys that `up` creates for its users, and that commands on the
	// same machine log in with; "" means the person's configuration directory.
	Credentials string `koanf:"credentials"`
	// TrustedKeys are public nkeys whose checkpoints are accepted; empty accepts unsigned ones.
	TrustedKeys []string `koanf:"trusted_keys"`
	// RevokedKeys are public nkeys, as KEY@TIME, whose signatures no longer count from then on (AU-3).
	RevokedKeys []string `koanf:"revoked_keys"`
}

// Default returns the configuration without file, environment or flags.
func Default() Config {
	return Config{
		NATS:    NATS{URL: "nats://127.0.0.1:4222"},
		Streams: Streams{Partitions: 16, Replicas: 1, InputMaxAge: 24 * time.Hour},
		HTTP:    HTTP{Address: "127.0.0.1:0"},
		Stage:   Stage{MaxBatch: 200, StepTimeout: 10 * time.Second, DrainTimeout: 10 * time.Second},
		Session: Session{IdleTimeout: 2 * time.Hour},
		Reports: Reports{Formats: []string{"md", "json", "html"}, DatabaseBytes: 1 << 30},
		Audit:   Audit{AnchorEvery: time.Hour},
		Hooks:   Hooks{Wait: 25 * time.Millisecond, Rescue: true, ChecksLimit: 5 * time.Minute},
		Log:     Log{Level: "info", Format: "json"},
		Advisor: defaultAdvisor(),
	}
}

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
