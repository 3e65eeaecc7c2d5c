package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"
	"time"

	natsio "github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
)

// A failed connection says what would help, not that no system runs.
func TestCureFitsTheFailure(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "open", Path: "ca.pem", Err: fs.ErrNotExist}, "nats.tls_ca"},
		{&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, "name the authority"},
		{errors.New("connection refused"), "scaffoldwatch up"},
	} {
		require.Contains(t, cure(fmt.Errorf("connect to NATS: %w", c.err), "", ""), c.want)
	}
	refused := fmt.Errorf("connect to NATS: %w", natsio.ErrAuthorization)
	require.Contains(t, cure(refused, "", ""), "this user")
	require.Contains(t, cure(refused, "ann", ""), `"ann" with this password`)
	require.Contains(t, cure(refused, "ann", "/etc/x/ann.nk"), "/etc/x/ann.nk")
}

// On this machine, that nothing listens is known at once: a person waits for nothing, programs for a system that
// restarts.
func TestNoSystemIsSaidAtOnce(t *testing.T) {
	free, err := natstest.Free(1)
	require.NoError(t, err)
	url := "nats://ann:" + "hunter" + "2@" + free[0] // a password that is not shown
	began := time.Now()
	_, _, err = Connection{Server: url}.Open(&Call{Context: t.Context()})
	require.ErrorContains(t, err, "no system runs here: nothing listens at nats://ann:xxxxx@"+free[0]+"\nstart one with `scaffoldwatch up`")
	require.NotErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(began), Patience)

	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, _, err = Connection{Server: url}.Patient().Open(&Call{Context: ctx})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "no system runs here")
}

// A command that waits says once that the system is gone, and once that it is back.
func TestWatchedSaysWhenTheSystemIsGone(t *testing.T) {
	var out bytes.Buffer
	c := Connection{}.Watched(&Call{Stderr: &out})
	for _, state := range []error{nil, io.EOF, io.ErrUnexpectedEOF, nil, nil} {
		c.lost(state)
	}
	require.Equal(t, "scaffoldwatch: the system is gone; nothing is shown until it is back (Ctrl-C ends)\n"+
		"scaffoldwatch: the system is back\n", out.String())
}
