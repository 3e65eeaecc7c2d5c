package cli

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

// A failed connection says what would help, not that no system runs.
func TestCureFitsTheFailure(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "open", Path: "ca.pem", Err: fs.ErrNotExist}, "nats.tls_ca"},
		{&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, "name the authority"},
		{errors.New("connection refused"), "is a system running?"},
	} {
		require.Contains(t, cure(fmt.Errorf("connect to NATS: %w", c.err)), c.want)
	}
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
