package deployment

import (
	"bytes"
	"compress/gzip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func options(t *testing.T, overrides, key string) Options {
	t.Helper()
	set, err := rules.Load("own.yaml", []byte(overrides))
	require.NoError(t, err)
	return Options{Rules: set, FingerprintKey: []byte(key)}
}

// What is stored under a configuration hash gives the rules of that hash (AU-12).
func TestAppliedGivesTheRules(t *testing.T) {
	o := options(t, "dispatch: {cooldown_turns: 3}", "key")
	data, err := o.Applied().Encode()
	require.NoError(t, err)
	again, err := o.Applied().Encode()
	require.NoError(t, err)
	require.Equal(t, data, again, "the same bytes")
	require.Less(t, len(data), 1<<20, "fits a message of a broker with default limits")
	a, err := DecodeApplied(o.Identity().ConfigHash, data)
	require.NoError(t, err)
	require.Equal(t, o.Rules.Hash(), a.Set().Hash())
	o.Rules = a.Set()
	require.Equal(t, a.ConfigHash, o.Identity().ConfigHash)
}

func TestChangesNameSettingFromAndTo(t *testing.T) {
	base := options(t, "", "key").Applied()
	for _, c := range []struct{ overrides, key, want string }{
		{"", "key", "no setting, only the notation of the rules"},
		{"# nothing\n", "key", "no setting, only the notation of the rules"},
		{"dispatch: {cooldown_turns: 9}", "key", "dispatch.cooldown_turns 2 → 9"},
		{"dispatch: {cooldown_turns: 9}", "other", "dispatch.cooldown_turns 2 → 9, another fingerprint key"},
		{"dispatch: {cooldown_turns: 9, grace_turns: 3}", "key", "dispatch.cooldown_turns 2 → 9, and 1 more settings"},
	} {
		got, err := base.Changes(options(t, c.overrides, c.key).Applied(), 1)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

// What is stored by somebody else under a hash is not taken for what applied.
func TestAForgedEntryIsFound(t *testing.T) {
	o := options(t, "dispatch: {cooldown_turns: 3}", "key")
	hash := o.Identity().ConfigHash
	forged := options(t, "dispatch: {cooldown_turns: 4}", "key").Applied()
	forged.ConfigHash = hash
	other, err := forged.Encode()
	require.NoError(t, err)
	_, err = DecodeApplied(hash, other)
	require.ErrorContains(t, err, "it was edited or stored by somebody else")

	whole, err := o.Applied().Encode()
	require.NoError(t, err)
	for name, data := range map[string][]byte{
		"empty": nil, "cut": whole[:len(whole)/2], "text": []byte("dispatch:"), "bomb": bomb(t), "another form": packed(t, `{"form":2}`), "no JSON": packed(t, "{"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := DecodeApplied(hash, data)
			require.Error(t, err)
		})
	}
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func bomb(t *testing.T) []byte {
	t.Helper()
	return packed(t, string(make([]byte, maxApplied+2)))
}
