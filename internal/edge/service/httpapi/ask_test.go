package httpapi

import (
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// A process asks itself: ready, what it lacks, and that nobody answers (CO-1, CO-21).
func TestReadyAsksTheOwnInterface(t *testing.T) {
	s, err := Start(Options{Address: "127.0.0.1:0", Registry: prometheus.NewRegistry()})
	require.NoError(t, err)
	at := Options{Address: s.Address()}
	_, port, _ := strings.Cut(s.Address(), ":")
	s.Report("nats", nil)
	require.NoError(t, Ready(t.Context(), at))
	require.NoError(t, Ready(t.Context(), Options{Address: "0.0.0.0:" + port}), "reached on loopback")
	s.Report("nats", errors.New("not connected yet"))
	s.Report("fold", nil)
	require.EqualError(t, Ready(t.Context(), at), "not ready: nats: not connected yet")
	require.NoError(t, s.Close(t.Context()))
	require.ErrorContains(t, Ready(t.Context(), at), "nobody answers")
	for _, address := range []string{"", "127.0.0.1:0", "8420"} {
		require.ErrorContains(t, Ready(t.Context(), Options{Address: address}), "has no port to query")
	}
}

// With TLS only the certificate of the settings counts: whoever else listens there is not the service.
func TestReadyKnowsItsCertificate(t *testing.T) {
	own := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(own.Close)
	file := filepath.Join(t.TempDir(), "http.pem")
	at := Options{Address: own.Listener.Addr().String(), TLSCert: file}
	require.ErrorContains(t, Ready(t.Context(), at), "read the certificate")
	require.NoError(t, os.WriteFile(file, []byte("nothing"), 0o600))
	require.ErrorContains(t, Ready(t.Context(), at), "contains no PEM certificate")
	write := func(der []byte) {
		require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	}
	write(own.TLS.Certificates[0].Certificate[0])
	require.NoError(t, Ready(t.Context(), at))
	write([]byte("another"))
	require.ErrorContains(t, Ready(t.Context(), at), "a certificate other than that of http.tls_cert")
}
