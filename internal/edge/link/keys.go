package link

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

// reporter signs anchors and backups, which any trusted key may, and no checkpoints.
const reporter = "reporter"

// signers are what keys may be trusted for.
var signers = append(slices.Clone(Stages), reporter)

// Keys loads the key that signs checkpoints and the trusted keys (EV-7).
func Keys(c config.Security) (nats.Keys, error) {
	keys := nats.Keys{Trusted: map[string][]string{}}
	for _, entry := range c.TrustedKeys {
		name, key, of := strings.Cut(entry, "=")
		if !of {
			key = name
		}
		if !nkeys.IsValidPublicKey(key) {
			return keys, fmt.Errorf("security.trusted_keys: %q is not a public nkey; "+
				"write SERVICE=KEY, or KEY for every stage", entry)
		}
		if of && !slices.Contains(signers, name) {
			return keys, fmt.Errorf("security.trusted_keys: %q: nothing called %s signs; there are %s",
				entry, name, strings.Join(signers, ", "))
		}
		for _, signer := range signers {
			if signer == name || !of && signer != reporter {
				keys.Trusted[signer] = append(keys.Trusted[signer], key)
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
		return keys, fmt.Errorf("read the signing key: %s contains no nkey seed; `scaffoldwatch keys new FILE` creates one", c.SigningSeed)
	}
	return keys, nil
}

// Signs returns an error if a stage must not run with these keys: the configuration trusts keys for its
// checkpoints, and this process would sign with another. Readers would treat all that it writes as forged
// (EV-7).
func Signs(c config.Security, keys nats.Keys, stage string, now time.Time) error {
	trusted := keys.Trusted[stage]
	if len(trusted) == 0 {
		return nil
	}
	names := strings.Join(trusted, ", ")
	if keys.Own == nil {
		return fmt.Errorf("security.trusted_keys names %s for %s, and this process has no key to sign with: set "+
			"security.signing_seed (of the unit: LoadCredential and "+
			"SCAFFOLDWATCH_SECURITY_SIGNING_SEED) to the file of that key's seed, or take the stage's keys out of "+
			"security.trusted_keys", names, stage)
	}
	own, err := keys.Own.PublicKey()
	if err != nil {
		return fmt.Errorf("read the public part of %s: %w", c.SigningSeed, err)
	}
	if since, is := keys.Revoked[own]; is && !now.Before(since) {
		return fmt.Errorf("security.revoked_keys names %s, the key of %s, from %s on, so what %s signs "+
			"does not count: "+
			"make another with `scaffoldwatch keys new FILE` "+
			"and name it in security.trusted_keys", own, c.SigningSeed, since.Format(time.RFC3339), stage)
	}
	if !slices.Contains(trusted, own) {
		return fmt.Errorf("security.signing_seed is %s, whose key is %s, and security.trusted_keys names "+
			"%s for %s: give "+
			"it the seed of that stage, or add %s=%s to "+
			"security.trusted_keys of every service", c.SigningSeed, own, names, stage, stage, own)
	}
	return nil
}

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
