package hooktoken

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// authoritiesFile is beside the tokens: who may sign the certificate of a system elsewhere,
// besides those that the operating system trusts.
const authoritiesFile = "ca.pem"

// Authorities returns whose certificates hooks accept, nil for those of the operating system
// alone. A file of its own leaves the agent's other programs as they are, which a variable in its
// environment would not.
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
		return nil, fmt.Errorf("%s holds no certificate in PEM form", path)
	}
	return all, nil
}
