package connect

import (
	"fmt"
	"os"
	"strings"

	"github.com/nats-io/nkeys"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

// Keys loads the key that signs checkpoints and the keys that are trusted (EV-7).
func Keys(c config.Security) (nats.Keys, error) {
	keys := nats.Keys{Trusted: map[string][]string{}}
	for _, entry := range c.TrustedKeys {
		name, key, of := strings.Cut(entry, "=")
		if !of {
			key = name
		}
		if !nkeys.IsValidPublicKey(key) {
			return keys, fmt.Errorf("security.trusted_keys: %q is not a public nkey; write STAGE=KEY, or KEY for every stage", entry)
		}
		for _, stage := range Stages {
			if !of || stage == name {
				keys.Trusted[stage] = append(keys.Trusted[stage], key)
			}
		}
	}
	var err error
	if keys.Revoked, err = Revoked(c); err != nil || c.SigningSeed == "" {
		return keys, err
	}
	seed, err := os.ReadFile(c.SigningSeed)
	if err != nil {
		return keys, fmt.Errorf("read the signing key (--key, or security.signing_seed): %w; `scaffoldwatch keys new FILE` makes one", err)
	}
	if keys.Own, err = nkeys.ParseDecoratedNKey(seed); err != nil {
		return keys, fmt.Errorf("read the signing key: %s holds no nkey seed; `scaffoldwatch keys new FILE` makes one", c.SigningSeed)
	}
	return keys, nil
}
