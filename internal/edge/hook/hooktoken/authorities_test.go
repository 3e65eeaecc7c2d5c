package hooktoken

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// An authority beside the tokens is trusted besides those of the operating system; what is no
// certificate is said and not passed over.
func TestAuthorities(t *testing.T) {
	for _, folder := range []string{"", t.TempDir()} {
		all, err := Authorities(folder)
		require.NoError(t, err)
		require.Nil(t, all, "those of the operating system")
	}
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	folder := t.TempDir()
	file := filepath.Join(folder, "ca.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	all, err := Authorities(folder)
	require.NoError(t, err)
	require.Contains(t, all.Subjects(), server.Certificate().RawSubject) //nolint:staticcheck // it was made from a file
	require.NoError(t, os.WriteFile(file, []byte("a certificate"), 0o600))
	_, err = Authorities(folder)
	require.ErrorContains(t, err, "ca.pem contains no PEM certificate")
}
