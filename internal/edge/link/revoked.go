package link

import (
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
)

// Revoked reads the revoked keys, each with the time from which its signatures do not count (AU-3).
func Revoked(c config.Security) (map[string]time.Time, error) {
	revoked := map[string]time.Time{}
	for _, entry := range c.RevokedKeys {
		key, at, ok := strings.Cut(entry, "@")
		if !ok || !nkeys.IsValidPublicKey(key) {
			return nil, fmt.Errorf("security.revoked_keys: %q: write KEY@TIME, such as KEY@2026-11-22T10:00:00Z", entry)
		}
		since, err := time.Parse(time.RFC3339, at)
		if err != nil {
			return nil, fmt.Errorf("security.revoked_keys: the time of %s: %q: write it as 2026-11-22T10:00:00Z", key, at)
		}
		revoked[key] = since
	}
	return revoked, nil
}
