package proof

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
)

func sealed(t testing.TB, key nkeys.KeyPair, messages ...string) []byte {
	t.Helper()
	c := &Checkpoint{
		Version: 1, Stage: "ingest", Partition: 3, Source: "INPUT", Position: engine.Position{Sequence: 9}, Fence: 4,
		Count: len(messages), Outputs: len(messages),
	}
	var hashes [][32]byte
	for _, m := range messages {
		hash := HashOf("s", nil, []byte(m))
		hashes = append(hashes, hash)
		c.Marks = append(c.Marks, hash[:MarkSize]...)
	}
	c.Digest = Digest(hashes)
	data, err := c.Seal(key)
	require.NoError(t, err)
	return data
}

func TestCheckpointIsReadBackOnlyAsItWasSealed(t *testing.T) {
	key, err := nkeys.CreateUser()
	require.NoError(t, err)
	public, err := key.PublicKey()
	require.NoError(t, err)
	data := sealed(t, key, "a", "b")
	v := Verifier{Stage: "ingest", Trusted: []string{public}}
	c, reason := v.Open(3, data)
	require.Empty(t, reason)
	require.True(t, c.Fits(12, 10, HashOf("s", nil, []byte("a"))))
	require.True(t, c.Fits(12, 11, HashOf("s", nil, []byte("b"))))
	for _, sequence := range []uint64{9, 11, 12} {
		require.False(t, c.Fits(12, sequence, HashOf("s", nil, []byte("a"))), sequence)
	}

	_, reason = v.Open(4, data)
	require.Equal(t, ReasonNoCheckpoint, reason, "another partition's")
	_, reason = Verifier{Stage: "evaluator"}.Open(3, data)
	require.Equal(t, ReasonNoCheckpoint, reason, "another stage's")
	_, reason = v.Open(3, sealed(t, nil, "a"))
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
		_, reason = v.Open(3, changed)
		require.Equal(t, ReasonSignature, reason)
	}
}

func TestMessageHashCoversWhatMattersOnly(t *testing.T) {
	base := HashOf("a.b", map[string][]string{"ce-id": {"1"}, "Nats-Batch-Id": {"x"}}, []byte("data"))
	require.Equal(t, base, HashOf("a.b", map[string][]string{"ce-id": {"1"}, "Nats-Sequence": {"9"}}, []byte("data")))
	for _, other := range [][32]byte{
		HashOf("a.c", map[string][]string{"ce-id": {"1"}}, []byte("data")),
		HashOf("a.b", map[string][]string{"ce-id": {"2"}}, []byte("data")),
		HashOf("a.b", map[string][]string{"ce-id": {"1", "1"}}, []byte("data")),
		HashOf("a.b", map[string][]string{"ce-id": {"1"}}, []byte("dat")),
		HashOf("a.b", map[string][]string{"ce-id": {"1"}, "": {"data"}}, nil),
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
		if c, reason := (Verifier{Stage: "ingest"}).Open(3, data); reason == "" {
			c.Fits(1, 0, [32]byte{})
			c.Fits(1<<63, 1<<62, [32]byte{})
		}
		if _, reason := (Verifier{Stage: "ingest", Trusted: []string{public}}).Open(3, data); reason == "" {
			require.Equal(t, string(genuine), string(data))
		}
	})
}

// The hash of what is stored must never change: this is its definition, spelled out.
func TestMessageHashIsAsDefined(t *testing.T) {
	defined := func(subject string, header map[string][]string, data []byte) [32]byte {
		h := sha256.New()
		part := func(s string) {
			var n [8]byte
			binary.BigEndian.PutUint64(n[:], uint64(len(s)))
			h.Write(n[:])
			h.Write([]byte(s))
		}
		part(subject)
		for _, name := range slices.Sorted(maps.Keys(header)) {
			if strings.HasPrefix(name, "Nats-") {
				continue
			}
			for _, value := range header[name] {
				part(name)
				part(value)
			}
		}
		part("")
		part(string(data))
		return [32]byte(h.Sum(nil))
	}
	many := map[string][]string{}
	for i := range 100 {
		many[strings.Repeat("h", i)] = []string{strings.Repeat("v", i*7), "second"}
	}
	for _, header := range []map[string][]string{nil, {"ce-id": {"1"}, "ce-type": {"t"}, "Nats-Time": {"x"}}, many} {
		for _, size := range []int{0, 1, 1500, 2000, 2048, 3000, 1 << 20} {
			data := bytes.Repeat([]byte("d"), size)
			require.Equal(t, defined("a.b.c", header, data), HashOf("a.b.c", header, data), size)
		}
	}
}
