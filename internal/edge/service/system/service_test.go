package system

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
)

// Exit codes of a service.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

func call(name string, environ []string, args ...string) (code int, out, errOut string) {
	var o, e bytes.Buffer
	code = service.Main(Services(name)[0], args, environ, &o, &e)
	return code, o.String(), e.String()
}

func TestServiceHelpAndVersion(t *testing.T) {
	for _, s := range Services() {
		name := s.Name
		code, out, _ := call(name, nil, "--help")
		require.Equal(t, exitDone, code)
		require.Contains(t, out, "--nats-url")
		require.Contains(t, out, "Examples:")
		code, out, _ = call(name, nil, "--version")
		require.Equal(t, exitDone, code)
		require.Contains(t, out, name)
	}
}

func TestServiceRefusesMistakesClearly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	require.NoError(t, os.WriteFile(file, []byte("stage:\n  max_batch: 0\n"), 0o600))
	cases := []struct {
		args    []string
		environ []string
		want    string
	}{
		{[]string{"--nats-ulr", "x"}, nil, "flag provided but not defined"},
		{[]string{"more"}, nil, `unexpected argument "more"`},
		{[]string{"--stage-max-batch", "many"}, nil, "--stage-max-batch: stage.max_batch = many"},
		{[]string{"--config", file}, nil, "c.yaml:2: stage.max_batch = 0; must be 1 to 900"},
		{nil, []string{"SCAFFOLDWATCH_CONFIG=" + file}, "c.yaml:2"},
		{nil, []string{"SCAFFOLDWATCH_LOG_LEVEL=loud"}, "must be debug, info, warn or error"},
	}
	for _, c := range cases {
		code, _, errOut := call("ingest", c.environ, c.args...)
		require.Equal(t, exitUsage, code)
		require.Contains(t, errOut, c.want)
		require.Contains(t, errOut, "see ingest --help")
	}
}

func TestServiceFailsOnBrokenRules(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(file, []byte("nosuchsection: 1\n"), 0o600))
	code, _, errOut := call("evaluator", nil, "--rules", file, "--http-address", "")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errOut, "nosuchsection")
}

// A stage that would sign what nobody accepts ends before it connects or listens (EV-7).
func TestServiceRefusesAKeyThatIsNotTrusted(t *testing.T) {
	pair, err := nkeys.CreateUser()
	require.NoError(t, err)
	public, err := pair.PublicKey()
	require.NoError(t, err)
	for _, name := range []string{"ingest", "evaluator", "dispatcher"} {
		c := config.Default()
		c.NATS.URL, c.HTTP.Address = "nats://127.0.0.1:1", ""
		c.Security.TrustedKeys = []string{name + "=" + public}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := service.Run(ctx, service.Options{
			Services: Services(name), Config: c,
			Log: slog.New(slog.DiscardHandler),
		})
		require.ErrorContains(t, err, "no key to sign with", name)
		require.NoError(t, ctx.Err())
	}
}
