package service

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
)

func TestWhyThereIsNoConnection(t *testing.T) {
	for _, c := range []struct {
		user string
		err  error
		want []string
	}{
		{"ingest", nats.ErrAuthorization, []string{
			"authorization violation", `does not accept "ingest"`,
			"SCAFFOLDWATCH_NATS_PASSWORD",
		}},
		{"", nats.ErrAuthorization, []string{"nats.user and nats.password"}},
		{
			"ingest", &tls.CertificateVerificationError{Err: errors.New("x509: certificate signed by unknown " +
				"authority")},
			[]string{"x509", "nats.tls_ca"},
		},
		{"ingest", &fs.PathError{Op: "open", Path: "/etc/ca.pem", Err: fs.ErrNotExist}, []string{
			"/etc/ca.pem",
			"nats.tls_ca",
		}},
		{"ingest", nats.ErrNoServers, []string{"no servers available", "check nats.url"}},
	} {
		got := notConnected(config.NATS{User: c.user}, fmt.Errorf("connect: %w", c.err))
		for _, want := range c.want {
			require.ErrorContains(t, got, want)
		}
		require.ErrorIs(t, got, c.err)
	}
}

// A request that is denied gets no answer: the reason is what was denied, not the time that ran out.
func TestWhatWasDeniedIsTheReason(t *testing.T) {
	late := fmt.Errorf("look whether a restore is under way: %w", context.DeadlineExceeded)
	var d denial
	require.Equal(t, late, d.explain(late, "ingest", "ingest"))
	d.note(fmt.Errorf("%w: %s", nats.ErrPermissionViolation,
		`Permissions Violation for Subscription to "_INBOX_ingest.x.*"`))
	got := d.explain(late, "ingest", "dispatcher")
	require.ErrorContains(t, got, "permission_denied: the broker denies ingest something: "+
		`Permissions Violation for Subscription to "_INBOX_ingest.x.*": it connects as "dispatcher"`)
	require.NotContains(t, got.Error(), "restore is under way")
	require.Equal(t, late, d.explain(late, "ingest", "dispatcher"), "said once for each denial")
	d.note(fmt.Errorf("%w: %s", nats.ErrPermissionViolation,
		`Permissions Violation for Publish to "$JS.API.STREAM.CREATE.INPUT"`))
	require.ErrorContains(t, d.explain(late, "ingest", "ingest"), "streams init")
	d.note(nats.ErrPermissionViolation)
	other := errors.New("refused")
	require.Equal(t, other, d.explain(other, "ingest", "ingest"), "an answer says more")
}
