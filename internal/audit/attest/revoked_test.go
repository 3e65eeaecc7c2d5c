package attest_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/attest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
)

// A key that is revoked attests nothing from then on. What it attests to have signed before
// is doubtful: the thief of the key writes the time (AU-3).
func TestAnAttestationByARevokedKey(t *testing.T) {
	key, public := newKey(t)
	signed, err := build(t, fleet(t), attest.Request{Sessions: []string{"payments-webhook"}}).Sign(context.Background(), key)
	require.NoError(t, err)
	a, err := attest.Open(signed, []string{public})
	require.NoError(t, err)
	judged := func(since time.Time) (time.Time, error) {
		return a.Judge(chain.Keys{Revoked: map[string]time.Time{public: since}})
	}
	for _, since := range []time.Time{morning, morning.Add(-time.Hour)} {
		_, err = judged(since)
		var fault *attest.Fault
		require.ErrorAs(t, err, &fault)
		require.Equal(t, "signatures[0].keyid", fault.Place)
		require.Contains(t, fault.What, "revoked key: "+public)
	}
	later := morning.Add(time.Hour)
	revoked, err := judged(later)
	require.NoError(t, err)
	require.Equal(t, later, revoked)
	require.Contains(t, a.Doubtful(revoked).What, "revoked key: ")
	revoked, err = a.Judge(chain.Keys{})
	require.NoError(t, err)
	require.Zero(t, revoked, "the control")
}

// What is signed reads the same in every program, also if the signer would have it otherwise.
func TestAnAmbiguousStatementIsRefused(t *testing.T) {
	key, public := newKey(t)
	v := build(t, fleet(t), attest.Request{Sessions: []string{"payments-webhook"}})
	statement, err := v.Statement()
	require.NoError(t, err)
	for name, edit := range map[string]struct{ from, to string }{
		"a type twice":                 {`{`, `{"_type":"https://example.com/x",`},
		"a predicate twice":            {`"predicate":{`, `"predicate":{},"predicate":{`},
		"a field of the predicate":     {`"predicate":{`, `"predicate":{"build":"x",`},
		"a field of a session":         {`"turns":{`, `"turns":{"watched":1,`},
		"an unknown field":             {`"predicate":{`, `"predicate":{"grade":"A",`},
		"a field of another case":      {`"predicate":{`, `"predicate":{"Build":"x",`},
		"something after the end":      {``, ``},
		"the name of a subject, twice": {`"subject":[{`, `"subject":[{"name":"session/other",`},
	} {
		changed := strings.Replace(string(statement), edit.from, edit.to, 1)
		if edit.from == "" {
			changed = string(statement) + "{}"
		}
		require.NotEqual(t, string(statement), changed, name)
		_, err := attest.Open(enveloped(t, key, changed), []string{public})
		require.Error(t, err, name)
	}
	_, err = attest.Open(enveloped(t, key, string(statement)), []string{public})
	require.NoError(t, err, "the control")
}

// enveloped signs a payload as it is.
func enveloped(t *testing.T, key nkeys.KeyPair, payload string) []byte {
	t.Helper()
	public, err := key.PublicKey()
	require.NoError(t, err)
	sig, err := key.Sign(fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(attest.PayloadType), attest.PayloadType, len(payload), payload))
	require.NoError(t, err)
	data, err := json.Marshal(map[string]any{
		"payloadType": attest.PayloadType, "payload": base64.StdEncoding.EncodeToString([]byte(payload)),
		"signatures": []any{map[string]any{"keyid": public, "sig": base64.StdEncoding.EncodeToString(sig)}},
	})
	require.NoError(t, err)
	return data
}
