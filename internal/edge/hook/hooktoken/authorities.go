package hooktoken

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// authoritiesFile lies next to the tokens: the authorities for the certificate of a remote system, in
// addition to those that the operating system trusts.
const authoritiesFile = "ca.pem"

// Authorities returns the authorities whose certificates hooks accept, nil for those of the operating
// system alone. Unlike an environment variable, a file of our own does not affect the agent's other
// programs.
func Authorities(folder string) (*x509.CertPool, error) {
	if folder == "" {
		return nil, nil
	}
	path := filepath.Join(folder, authoritiesFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the authorities of hooks: %w", err)
	}
	all, err := x509.SystemCertPool()
	if err != nil {
		all = x509.NewCertPool()
	}
	if !all.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("%s contains no PEM certificate", path)
	}
	return all, nil
}
