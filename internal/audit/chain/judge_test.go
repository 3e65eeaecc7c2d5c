package chain_test

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// signedBy returns a note by several keys.
func signedBy(t *testing.T, text string, keys ...nkeys.KeyPair) (signed []byte, known map[string]note.Verifier) {
	t.Helper()
	known = map[string]note.Verifier{}
	var signers []note.Signer
	for _, key := range keys {
		signer, err := chain.Signer(key)
		require.NoError(t, err)
		signers = append(signers, signer)
		known[public(t, key)], err = chain.Verifier(public(t, key))
		require.NoError(t, err)
	}
	signed, err := note.Sign(&note.Note{Text: text}, signers...)
	require.NoError(t, err)
	return signed, known
}

// An anchor says one thing in one form, also if who signs it would have it otherwise.
func TestAnAmbiguousAnchorIsRefused(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	head := chain.Head{Stream: segments, Partition: 2, Sequence: 40, Digest: strings.Repeat("ab", 32)}
	stream := chain.AnchoredStream{Name: segments, Created: at, Last: 40}
	key := newKey(t)
	lines := func(a chain.Anchor) []string { return strings.SplitAfterN(a.Text(), "\n", 4) }
	resum := func(parts []string) string {
		sum := sha256.Sum256([]byte(parts[3]))
		parts[2] = base64.StdEncoding.EncodeToString(sum[:]) + "\n"
		return strings.Join(parts, "")
	}
	whole := chain.Anchor{Time: at, Streams: []chain.AnchoredStream{stream}, Heads: []chain.Head{head}}
	for name, text := range map[string]string{
		"a second time":    resum(append(lines(whole)[:3], lines(whole)[3]+"time 2026-01-01T00:00:00Z\n")),
		"no time":          resum(append(lines(whole)[:3], strings.Replace(lines(whole)[3], "time 2026-11-22T10:00:00Z\n", "", 1))),
		"another sum":      strings.Replace(whole.Text(), "\n40\n", "\n41\n", 1),
		"time of the zone": resum(append(lines(whole)[:3], strings.Replace(lines(whole)[3], "T10:00:00Z", "T11:00:00+01:00", 1))),
		"a head twice":     chain.Anchor{Time: at, Heads: []chain.Head{head, head}}.Text(),
		"a stream twice":   chain.Anchor{Time: at, Streams: []chain.AnchoredStream{stream, stream}}.Text(),
	} {
		signed, known := signedBy(t, text, key)
		_, err := chain.OpenAnchors(signed, known, chain.Keys{})
		require.ErrorIs(t, err, chain.ErrAnchor, name)
	}
	signed, known := signedBy(t, whole.Text(), key)
	_, err := chain.OpenAnchors(signed, known, chain.Keys{})
	require.NoError(t, err, "the control")
}

// A key that is revoked signs no anchor from then on; another that signed it too counts.
func TestAnAnchorByARevokedKeyIsRefused(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	a := chain.Anchor{Time: at, Heads: []chain.Head{{Stream: segments, Sequence: 40, Digest: strings.Repeat("ab", 32)}}}
	stolen, sound := newKey(t), newKey(t)
	revoked := func(since time.Time) chain.Keys {
		return chain.Keys{Revoked: map[string]time.Time{public(t, stolen): since}}
	}
	signed, known := signedBy(t, a.Text(), stolen)
	for _, since := range []time.Time{at, at.Add(-time.Hour)} {
		_, err := chain.OpenAnchor(signed, known, revoked(since))
		var of *chain.RevokedError
		require.ErrorAs(t, err, &of)
		require.ErrorContains(t, err, "revoked key: "+public(t, stolen))
	}
	got, err := chain.OpenAnchor(signed, known, revoked(at.Add(time.Hour)))
	require.NoError(t, err)
	require.Equal(t, at.Add(time.Hour), got.Revoked)
	both, known := signedBy(t, a.Text(), stolen, sound)
	for _, since := range []time.Time{at.Add(-time.Hour), at.Add(time.Hour)} {
		got, err = chain.OpenAnchor(both, known, revoked(since))
		require.NoError(t, err)
		require.Equal(t, public(t, sound), got.Signer)
		require.Zero(t, got.Revoked)
	}
}

// An anchor that only a revoked key vouches for proves nothing, which is said, unless another
// anchor has its heads or later ones; what contradicts the chain is found all the same.
func TestAnAnchorFromBeforeTheRevocation(t *testing.T) {
	s := newSystem(t, true)
	s.feed(20)
	from := live{s.opened["dispatcher"]}
	o := s.options()
	doubted := chain.NewAnchor(requireClean(t, from, o), time.Now())
	doubted.File, doubted.Signer, doubted.Revoked = "old.anchor", "K", time.Now().Add(time.Hour)
	o.Anchors = []chain.Anchor{doubted}
	report := requireClean(t, from, o)
	require.Zero(t, report.Anchors.Heads)
	limits := strings.Join(report.Limits, "\n")
	require.Contains(t, limits, "(old.anchor) proves nothing: K was revoked at ")
	require.Contains(t, limits, "without an anchor")

	s.feed(5)
	good := chain.NewAnchor(requireClean(t, from, o), time.Now())
	o.Anchors = append(o.Anchors, good)
	report = requireClean(t, from, o)
	require.NotContains(t, strings.Join(report.Limits, "\n"), "old.anchor")
	require.Equal(t, len(doubted.Heads)+len(good.Heads), report.Anchors.Proven)

	doubted.Heads = append([]chain.Head(nil), doubted.Heads...)
	doubted.Heads[0].Digest = strings.Repeat("0", 64)
	o.Anchors[0] = doubted
	require.Equal(t, chain.Rewritten, verify(t, from, o).Findings[0].Kind)
}

// INPUT cannot be removed unnoticed, although it has no chain.
func TestARemovedInputIsFound(t *testing.T) {
	s := newSystem(t, true)
	s.feed(10)
	c := s.copy()
	input := c.streams[events.StreamInput]
	input.Missing = true
	c.streams[events.StreamInput] = input
	r := verify(t, c, s.options())
	require.Len(t, r.Findings, 1, lines(r.Findings))
	require.Equal(t, chain.StreamGone, r.Findings[0].Kind)
	require.Equal(t, "INPUT", r.Findings[0].Stream)
}
