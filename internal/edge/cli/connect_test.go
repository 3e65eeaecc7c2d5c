package cli

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
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
