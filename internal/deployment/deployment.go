// Package deployment reads the settings that every machine of an installation must share: the rules
// and the fingerprint key.
package deployment

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/fingerprint"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// LoadRules returns the embedded rule data with the overrides of the file at
// path; an empty path means no overrides.
func LoadRules(path string) (*rules.Set, error) {
	if path == "" {
		return rules.Default(), nil
	}
	data, err := readFile(path, maxRules)
	if err != nil {
		return nil, fmt.Errorf("read the rules file: %w", err)
	}
	return rules.Load(path, data)
}

const (
	maxRules = 1 << 20 // bytes of a rules file
	maxKey   = 64 << 10
)

// readFile reads a file of at most limit bytes; a device such as /dev/zero never ends.
func readFile(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s has over %d bytes", path, limit)
	}
	return data, err
}

// LoadKey returns the fingerprint key that a setting names: "$NAME" is an environment variable, anything
// else a file. An empty setting returns no key.
func LoadKey(setting string) ([]byte, error) {
	if setting == "" {
		return nil, nil
	}
	if name, ok := strings.CutPrefix(setting, "$"); ok {
		value := os.Getenv(name)
		if value == "" {
			return nil, fmt.Errorf("security.fingerprint_key names the variable %s, which is empty; set it or name a file", name)
		}
		return []byte(value), nil
	}
	data, err := readFile(setting, maxKey)
	if err != nil {
		return nil, fmt.Errorf("read security.fingerprint_key: %w", err)
	}
	return []byte(strings.TrimSpace(string(data))), nil
}

// Options configure the machines of a deployment.
type Options struct {
	Rules *rules.Set
	// FingerprintKey keys the fingerprints of secrets (SW-7); nil means the documented key of `scan`.
	FingerprintKey []byte
	// IdleTimeout closes an idle session (DP-30); 0 disables it.
	IdleTimeout time.Duration
}

// Key returns the fingerprint key, by default that of `scan`.
func (o Options) Key() []byte {
	if o.FingerprintKey == nil {
		return []byte(fingerprint.ScanKey)
	}
	return o.FingerprintKey
}

// Identity returns what derived events carry about the rules and the fingerprint key under which they were
// decided; of the key only a hash (EV-2).
func (o Options) Identity() step.Identity {
	return step.Identity{RulesVersion: rules.Version, ConfigHash: configHash(o.Rules.Hash(), o.keyMark())}
}

// keyMark returns the part of the fingerprint key that the configuration hash covers.
func (o Options) keyMark() string {
	key := sha256.Sum256(append([]byte("fingerprint key\x00"), o.Key()...))
	return hex.EncodeToString(key[:4])
}

func configHash(ruleHash, keyMark string) string {
	sum := sha256.Sum256([]byte(ruleHash + keyMark))
	return hex.EncodeToString(sum[:6])
}
