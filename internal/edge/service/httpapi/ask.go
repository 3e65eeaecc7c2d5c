package httpapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

// Ready queries /readyz of the interface that a process with these options has on this machine, and returns
// nil if it is ready. The error says what is missing, or that nothing answers. It lets a container check
// its health without a shell or a client.
func Ready(ctx context.Context, o Options) error {
	const patience, most = 3 * time.Second, 1 << 20
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	url, client, err := reach(o)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", http.NoBody)
	if err != nil {
		return fmt.Errorf("ask %s: %w", url, err)
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("nobody answers: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	states := map[string]string{}
	if err := json.NewDecoder(io.LimitReader(response.Body, most)).Decode(&states); err != nil {
		return fmt.Errorf("%s/readyz answers %s", url, response.Status)
	}
	var lacks []string
	for _, name := range slices.Sorted(maps.Keys(states)) {
		if state := states[name]; state != "ok" && !strings.HasPrefix(state, "warning: ") {
			lacks = append(lacks, name+": "+state)
		}
	}
	return errors.New("not ready: " + strings.Join(lacks, "; "))
}

// reach returns how this machine reaches the interface. The name in a certificate is for remote clients;
// locally it must be exactly the configured certificate.
func reach(o Options) (url string, client *http.Client, err error) {
	host, port, err := net.SplitHostPort(o.Address)
	if err != nil || port == "0" {
		return "", nil, fmt.Errorf("http.address = %q has no port to query", o.Address)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	at := net.JoinHostPort(host, port)
	if o.TLSCert == "" {
		return "http://" + at, http.DefaultClient, nil
	}
	text, err := os.ReadFile(o.TLSCert)
	if err != nil {
		return "", nil, fmt.Errorf("read the certificate: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return "", nil, fmt.Errorf("%s contains no PEM certificate", o.TLSCert)
	}
	same := func(certificates [][]byte, _ [][]*x509.Certificate) error {
		if len(certificates) == 0 || !bytes.Equal(certificates[0], block.Bytes) {
			return errors.New("a certificate other than that of http.tls_cert: " +
				"it was replaced after the start, or another process listens there")
		}
		return nil
	}
	return "https://" + at, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		MinVersion:            tls.VersionTLS12,
		InsecureSkipVerify:    true, //nolint:gosec // compared with the own file instead
		VerifyPeerCertificate: same,
	}}}, nil
}
