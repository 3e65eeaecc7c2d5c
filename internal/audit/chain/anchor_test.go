package chain_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
)

// keyLine returns a public nkey in the form that other tools for signed notes read.
func keyLine(t *testing.T, public string) string {
	v, err := chain.Verifier(public)
	require.NoError(t, err)
	raw, err := nkeys.Decode(nkeys.Prefix(public), []byte(public))
	require.NoError(t, err)
	const ed25519Algorithm = 1
	return fmt.Sprintf("%s+%08x+%s", chain.AnchorOrigin, v.KeyHash(), base64.StdEncoding.EncodeToString(append([]byte{ed25519Algorithm}, raw...)))
}

func TestAnchorsAreSignedNotes(t *testing.T) {
	key, other := newKey(t), newKey(t)
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	a := chain.Anchor{
		Time:    at,
		Streams: []chain.AnchoredStream{{Name: segments, Created: at.Add(-time.Hour), Last: 40}, {Name: signals, Created: at, Last: 2}},
		Heads:   []chain.Head{{Stream: segments, Partition: 2, Sequence: 40, Digest: strings.Repeat("ab", 32)}},
	}
	signer, err := chain.Signer(key)
	require.NoError(t, err)
	signed, err := a.Sign(signer)
	require.NoError(t, err)

	line := keyLine(t, public(t, key))
	verifier, err := note.NewVerifier(line)
	require.NoError(t, err)
	opened, err := note.Open(signed, note.VerifierList(verifier))
	require.NoError(t, err, "other tools for signed notes read it")
	require.Equal(t, a.Text(), opened.Text)

	known := map[string]note.Verifier{}
	known[public(t, key)], err = chain.Verifier(public(t, key))
	require.NoError(t, err)
	got, err := chain.OpenAnchor(signed, known, chain.Keys{})
	require.NoError(t, err)
	a.Signer = public(t, key)
	require.Equal(t, a, got)

	several := string(signed) + "\n" + string(signed)
	all, err := chain.OpenAnchors([]byte(several), known, chain.Keys{})
	require.NoError(t, err)
	require.Equal(t, []chain.Anchor{a, a}, all)
	_, err = chain.OpenAnchors([]byte(strings.TrimSuffix(several, "\n")+"x\n"), known, chain.Keys{})
	require.ErrorContains(t, err, "anchor 2: ")

	for i := range len(signed) - 1 {
		changed := []byte(string(signed))
		changed[i] ^= 2
		_, err := chain.OpenAnchor(changed, known, chain.Keys{})
		require.ErrorIs(t, err, chain.ErrAnchor, "byte %d changed: %s", i, changed[max(0, i-5):min(len(changed), i+5)])
	}
	stranger := map[string]note.Verifier{}
	stranger[public(t, other)], err = chain.Verifier(public(t, other))
	require.NoError(t, err)
	_, err = chain.OpenAnchor(signed, stranger, chain.Keys{})
	require.ErrorContains(t, err, "no trusted key has signed it")
	_, err = chain.Verifier("not a key")
	require.Error(t, err)
}

func TestLimitsAreStated(t *testing.T) {
	s := newSystem(t, false)
	s.feed(10)
	r := verify(t, live{s.opened["dispatcher"]}, s.options())
	require.True(t, r.Verified, lines(r.Findings))
	require.Contains(t, strings.Join(r.Limits, "\n"), "consistent, not authentic")
	require.Contains(t, strings.Join(r.Limits, "\n"), "without an anchor")

	// Whoever has no key to fear can replace the last checkpoint, which a note still shows.
	c := s.copy()
	o := s.options()
	o.Anchors = []chain.Anchor{chain.NewAnchor(r, time.Now())}
	scene := &scene{copied: c, t: t}
	b := scene.nth(decisions, busy, 0)
	c.messages[decisions][b.end].Data = append([]byte(nil), c.messages[decisions][b.end].Data...)
	c.messages[decisions][b.first].Data[3] ^= 1
	require.False(t, verify(t, c, o).Verified)
}
