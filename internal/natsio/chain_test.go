package natsio

import (
	"encoding/json"
	"testing"

	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/stage"
)

func sealed(t testing.TB, key nkeys.KeyPair, messages ...string) []byte {
	t.Helper()
	c := &Checkpoint{
		Version: 1, Stage: "ingest", Partition: 3, Source: "INPUT", Position: stage.Position{Sequence: 9}, Fence: 4,
		Count: len(messages), Outputs: len(messages),
	}
	var hashes [][32]byte
	for _, m := range messages {
		hash := messageHash("s", nil, []byte(m))
		hashes = append(hashes, hash)
		c.Marks = append(c.Marks, hash[:markSize]...)
	}
	c.Digest = digest(hashes)
	data, err := c.seal(key)
	require.NoError(t, err)
	return data
}

func TestCheckpointIsReadBackOnlyAsItWasSealed(t *testing.T) {
	key, err := nkeys.CreateUser()
	require.NoError(t, err)
	public, err := key.PublicKey()
	require.NoError(t, err)
	data := sealed(t, key, "a", "b")
	v := verifier{stage: "ingest", trusted: []string{public}}
	c, reason := v.open(3, data)
	require.Empty(t, reason)
	require.True(t, c.fits(12, 10, messageHash("s", nil, []byte("a"))))
	require.True(t, c.fits(12, 11, messageHash("s", nil, []byte("b"))))
	for _, sequence := range []uint64{9, 11, 12} {
		require.False(t, c.fits(12, sequence, messageHash("s", nil, []byte("a"))), sequence)
	}

	_, reason = v.open(4, data)
	require.Equal(t, ReasonNoCheckpoint, reason, "another partition's")
	_, reason = verifier{stage: "evaluator"}.open(3, data)
	require.Equal(t, ReasonNoCheckpoint, reason, "another stage's")
	_, reason = v.open(3, sealed(t, nil, "a"))
	require.Equal(t, ReasonSignature, reason, "unsigned")
	for _, edit := range []func(*Checkpoint){
		func(c *Checkpoint) { c.Position.Sequence++ }, func(c *Checkpoint) { c.Fence++ }, func(c *Checkpoint) { c.Previous = "x" },
		func(c *Checkpoint) { c.Marks[0]++ }, func(c *Checkpoint) { c.Digest = "x" }, func(c *Checkpoint) { c.Outputs-- },
	} {
		var edited Checkpoint
		require.NoError(t, json.Unmarshal(data, &edited))
		edit(&edited)
		changed, err := json.Marshal(edited)
		require.NoError(t, err)
		_, reason = v.open(3, changed)
		require.Equal(t, ReasonSignature, reason)
	}
}

func TestMessageHashCoversWhatMattersOnly(t *testing.T) {
	base := messageHash("a.b", map[string][]string{"ce-id": {"1"}, "Nats-Batch-Id": {"x"}}, []byte("data"))
	require.Equal(t, base, messageHash("a.b", map[string][]string{"ce-id": {"1"}, "Nats-Sequence": {"9"}}, []byte("data")))
	for _, other := range [][32]byte{
		messageHash("a.c", map[string][]string{"ce-id": {"1"}}, []byte("data")),
		messageHash("a.b", map[string][]string{"ce-id": {"2"}}, []byte("data")),
		messageHash("a.b", map[string][]string{"ce-id": {"1", "1"}}, []byte("data")),
		messageHash("a.b", map[string][]string{"ce-id": {"1"}}, []byte("dat")),
		messageHash("a.b", map[string][]string{"ce-id": {"1"}, "": {"data"}}, nil),
	} {
		require.NotEqual(t, base, other)
	}
}

// Whatever lies on a checkpoint's subject, opening it does not panic, and only
// the stage's own bytes pass.
func FuzzCheckpoint(f *testing.F) {
	key, err := nkeys.CreateUser()
	require.NoError(f, err)
	public, err := key.PublicKey()
	require.NoError(f, err)
	genuine := sealed(f, key, "a", "b")
	f.Add(genuine)
	f.Add(sealed(f, nil, "a"))
	f.Add([]byte(`{"stream":"INPUT", "seq":1}`))
	f.Add([]byte(`{"v":1,"stage":"ingest","partition":3,"count":9007199254740993,"outputs":-1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, reason := (verifier{stage: "ingest"}).open(3, data); reason == "" {
			c.fits(1, 0, [32]byte{})
			c.fits(1<<63, 1<<62, [32]byte{})
		}
		if _, reason := (verifier{stage: "ingest", trusted: []string{public}}).open(3, data); reason == "" {
			require.Equal(t, string(genuine), string(data))
		}
	})
}

// What lies in a stream is read without a panic, whatever it is.
func FuzzStoredMessage(f *testing.F) {
	f.Add("turn.raw.1.g.s", "1.0", "turn.raw", []byte(`{"session":"s"}`))
	f.Add("", "", "", []byte(nil))
	f.Add("a.b", "1.0", "timer.set", []byte(`[]`))
	f.Fuzz(func(t *testing.T, subject, version, typ string, data []byte) {
		header := map[string][]string{"ce-specversion": {version}, "ce-type": {typ}, "ce-id": {"i"}, "ce-source": {"/s"}, "ce-subject": {"s"}}
		record := inputRecord(message{Subject: subject, Header: header, Data: data, Sequence: 1})
		require.Len(t, record.Hash, 64)
		partitionToken(subject)
	})
}
