package link

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
)

// EV-7: a stage whose checkpoints nobody would accept does not start, and is told the file, the key
// and the cure.
func TestAStageSignsWithAKeyThatIsTrusted(t *testing.T) {
	dir, public := t.TempDir(), map[string]string{}
	for _, name := range []string{"evaluator", "dispatcher", "anchors"} {
		pair, err := nkeys.CreateUser()
		require.NoError(t, err)
		seed, err := pair.Seed()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), seed, 0o600))
		public[name], err = pair.PublicKey()
		require.NoError(t, err)
	}
	evaluator, dispatcher := "evaluator="+public["evaluator"], "dispatcher="+public["dispatcher"]
	now := time.Date(2026, 11, 29, 8, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		stage, seed   string
		trusted, gone []string
		want          []string
	}{
		"its own key": {stage: "evaluator", seed: "evaluator", trusted: []string{evaluator, dispatcher}},
		"one of two": {stage: "evaluator", seed: "evaluator", trusted: []string{evaluator, "evaluator=" +
			public["anchors"]}},
		"a key of every stage": {stage: "ingest", seed: "anchors", trusted: []string{public["anchors"]}},
		"nobody asks for it":   {stage: "ingest", trusted: []string{evaluator}},
		"no keys at all":       {stage: "ingest", seed: "evaluator"},
		"the reporter":         {stage: "reporter", seed: "anchors", trusted: []string{evaluator}},
		"revoked later": {
			stage: "evaluator", seed: "evaluator", trusted: []string{evaluator},
			gone: []string{public["evaluator"] + "@2026-11-29T09:00:00Z"},
		},
		"another stage's": {
			stage: "evaluator", seed: "dispatcher", trusted: []string{evaluator, dispatcher},
			want: []string{
				filepath.Join(dir, "dispatcher"), public["dispatcher"], public["evaluator"], "seed of that stage",
				"evaluator=" + public["dispatcher"],
			},
		},
		"none": {stage: "evaluator", trusted: []string{evaluator}, want: []string{
			"no key to sign with",
			"security.signing_seed", public["evaluator"],
		}},
		"revoked": {
			stage: "evaluator", seed: "evaluator", trusted: []string{evaluator}, gone: []string{public["evaluator"] +
				"@2026-11-29T07:00:00Z"},
			want: []string{"security.revoked_keys", public["evaluator"], filepath.Join(dir, "evaluator"), "keys new"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := config.Security{TrustedKeys: c.trusted, RevokedKeys: c.gone}
			if c.seed != "" {
				s.SigningSeed = filepath.Join(dir, c.seed)
			}
			keys, err := Keys(s)
			require.NoError(t, err)
			err = Signs(s, keys, c.stage, now)
			if len(c.want) == 0 {
				require.NoError(t, err)
			}
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

// EV-7: the reporter's key is trusted for anchors and backups, and for no stage's checkpoints; a name that
// nothing has is a mistake, as its key would be trusted for nothing.
func TestWhatAKeyIsTrustedFor(t *testing.T) {
	pair, err := nkeys.CreateUser()
	require.NoError(t, err)
	key, err := pair.PublicKey()
	require.NoError(t, err)
	keys, err := Keys(config.Security{TrustedKeys: []string{"reporter=" + key}})
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"reporter": {key}}, keys.Trusted)
	keys, err = Keys(config.Security{TrustedKeys: []string{key}})
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"ingest": {key}, "evaluator": {key}, "dispatcher": {key}}, keys.Trusted)
	_, err = Keys(config.Security{TrustedKeys: []string{"dispacher=" + key}})
	require.ErrorContains(t, err, "nothing called dispacher signs; there are ingest, evaluator, dispatcher, reporter")
}
