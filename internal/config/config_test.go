package config

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scaffoldwatch.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestLaterSourcesWin(t *testing.T) {
	path := write(t, "nats:\n  url: nats://file:1\nsession:\n  idle_timeout: 30m\nstage:\n  max_batch: 10\n")
	c, err := Load(Sources{
		File:    path,
		Environ: []string{"SCAFFOLDWATCH_NATS_URL=nats://env:2", "SCAFFOLDWATCH_STAGE_MAX_BATCH=20", "HOME=/nowhere"},
		Flags:   map[string]string{"stage.max_batch": "30", "security.trusted_keys": "A B"},
	})
	require.NoError(t, err)
	require.Equal(t, "nats://env:2", c.NATS.URL)
	require.Equal(t, 30*time.Minute, c.Session.IdleTimeout)
	require.Equal(t, 30, c.Stage.MaxBatch)
	require.Equal(t, []string{"A", "B"}, c.Security.TrustedKeys)
	require.Equal(t, Default().Streams, c.Streams)
}

// A list replaces the one that is the default, a shorter one too.
func TestReportFormats(t *testing.T) {
	c, err := Load(Sources{})
	require.NoError(t, err)
	require.Equal(t, []string{"md", "json", "html"}, c.Reports.Formats)
	c, err = Load(Sources{File: write(t, "reports:\n  formats: [html]\n")})
	require.NoError(t, err)
	require.Equal(t, []string{"html"}, c.Reports.Formats)
	c, err = Load(Sources{Environ: []string{"SCAFFOLDWATCH_REPORTS_FORMATS=json,md"}})
	require.NoError(t, err)
	require.Equal(t, []string{"json", "md"}, c.Reports.Formats)
	_, err = Load(Sources{File: write(t, "reports:\n  formats: [pdf]\n")})
	require.ErrorContains(t, err, "reports.formats = pdf; must be md, json or html")
	require.Equal(t, []string{"md", "json", "html"}, Default().Reports.Formats, "loading changes no default")
}

func TestACommandsDefaultsAreTheLowest(t *testing.T) {
	prefer := map[string]string{"log.level": "warn", "http.address": "127.0.0.1:8420"}
	c, err := Load(Sources{Defaults: prefer, File: write(t, "log:\n  level: debug\n")})
	require.NoError(t, err)
	require.Equal(t, "debug", c.Log.Level)
	require.Equal(t, "127.0.0.1:8420", c.HTTP.Address)
}

func TestErrorsNameOriginAndCure(t *testing.T) {
	cases := []struct {
		name   string
		source Sources
		want   []string
	}{
		{"unknown key", Sources{File: write(t, "nats:\n  ulr: x\n")}, []string{"scaffoldwatch.yaml:2: unknown setting nats.ulr", "did you mean nats.url?"}},
		{"not a mapping", Sources{File: write(t, "- a\n")}, []string{":1: the file must contain settings"}},
		{"section as value", Sources{File: write(t, "nats: here\n")}, []string{":1: nats is a section; write its settings indented below it"}},
		{"value as section", Sources{File: write(t, "security:\n  trusted_keys:\n    ingest: [A]\n")}, []string{":2: security.trusted_keys must be a list, not a section of settings"}},
		{"broken yaml", Sources{File: write(t, "nats: [\n")}, []string{"not valid YAML"}},
		{"bad duration", Sources{File: write(t, "session:\n  idle_timeout: soon\n")}, []string{":2: session.idle_timeout = soon", "a duration such as 30s"}},
		{"bad number", Sources{Flags: map[string]string{"stage.max_batch": "many"}}, []string{"--stage-max-batch", "a whole number"}},
		{"range", Sources{Environ: []string{"SCAFFOLDWATCH_STREAMS_PARTITIONS=0"}}, []string{"SCAFFOLDWATCH_STREAMS_PARTITIONS: streams.partitions = 0; must be 1 to 256"}},
		{"path", Sources{Environ: []string{"SCAFFOLDWATCH_AUDIT_ANCHOR_GIT=work"}}, []string{"SCAFFOLDWATCH_AUDIT_ANCHOR_GIT: audit.anchor_git = work; must be the absolute path"}},
		{"unknown variable", Sources{Environ: []string{"SCAFFOLDWATCH_NATS_ULR=x"}}, []string{"unknown setting SCAFFOLDWATCH_NATS_ULR", "SCAFFOLDWATCH_NATS_URL"}},
		{"open to the world", Sources{Flags: map[string]string{"http.address": "0.0.0.0:8080"}}, []string{"beyond loopback, http.token"}},
		{"certificate without its key", Sources{Environ: []string{"SCAFFOLDWATCH_NATS_TLS_CERT=/a.pem"}}, []string{"nats.tls_cert and nats.tls_key require each other"}},
		{"missing file", Sources{File: "/nowhere/at/all.yaml"}, []string{"read configuration", "/nowhere/at/all.yaml"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(c.source)
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func FuzzFile(f *testing.F) {
	f.Add("nats:\n  url: nats://x\n")
	f.Add("stage: {max_batch: [1]}\n")
	f.Add("security: {trusted_keys: {ingest: [A]}}\n")
	f.Add("? a\n: &x [*x]\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "c.yaml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, _ = Load(Sources{File: path})
	})
}

// A stream keeps its events at least as long as the one before it, and a limit
// leaves room for a few commits.
func TestStreamLimits(t *testing.T) {
	c, err := Load(Sources{File: write(t, "streams:\n  input_max_bytes: 1073741824\n  output_max_age: 720h\n  decisions:\n    max_age: 8760h\n    max_bytes: 2147483648\n")})
	require.NoError(t, err)
	require.EqualValues(t, 1<<31, c.Streams.Decisions.MaxBytes)
	require.Equal(t, 720*time.Hour, c.Streams.Signals.Age(c.Streams.OutputMaxAge))
	for text, problem := range map[string]string{
		"streams:\n  output_max_age: 1h\n":                                        "streams.output_max_age = 1h0m0s; must be at least streams.input_max_age",
		"streams:\n  signals:\n    max_age: 48h\n":                                "streams.signals.max_age = 48h0m0s; must be at least streams.segments.max_age",
		"streams:\n  decisions:\n    max_bytes: 1000\n":                           "streams.decisions.max_bytes = 1000; must be at least 67108864 (64 MiB)",
		"streams:\n  intakes: [SHOP]\n":                                           "streams.intakes = SHOP; must be ACCOUNT=MESSAGES/WINDOW",
		"streams:\n  intakes: [SHOP=0/15m]\n":                                     "streams.intakes = SHOP=0/15m; must be at least 1 message",
		"streams:\n  intakes: [SHOP=5/1s]\n":                                      "streams.intakes = SHOP=5/1s; its window is from 1m0s",
		"streams:\n  intakes: [a.b=5/1h]\n":                                       "streams.intakes = a.b=5/1h; must be ACCOUNT",
		"streams:\n  intakes: [A=5/1h, A=6/1h]\n":                                 "streams.intakes = A=6/1h; it names an account twice",
		"streams:\n  input_quota: 9\n  intakes: [A=5/1h]\n":                       "streams.input_quota = 9; must be 0 together with streams.intakes",
		"streams:\n  input_quota: -1\n":                                           "streams.input_quota = -1; must be 0",
		"streams:\n  segments:\n    max_age: 48h\n  signals:\n    max_age: 24h\n": "streams.signals.max_age",
	} {
		_, err := Load(Sources{File: write(t, text)})
		require.ErrorContains(t, err, problem)
	}
}
