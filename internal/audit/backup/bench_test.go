package backup_test

import (
	"crypto/rand"
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

// filled returns a system with 20,000 messages of 2 KB in INPUT.
func filled(b *testing.B) (s *system, bytes int64) {
	b.Helper()
	s = newSystem(b, nil)
	_, err := topology.ProvisionOwn(b.Context(), s.broker.JetStream(), s.broker.Topology())
	require.NoError(b, err)
	js := s.broker.JetStream()
	for n := range 20_000 {
		half := make([]byte, 512)
		_, err := rand.Read(half)
		require.NoError(b, err)
		data := append([]byte(hex.EncodeToString(half)), make([]byte, 1024)...)
		bytes += int64(len(data))
		_, err = js.PublishAsync("turn.raw.s.s", data)
		require.NoError(b, err)
		if n%1000 == 999 {
			<-js.PublishAsyncComplete()
		}
	}
	return s, bytes
}

func BenchmarkBackup(b *testing.B) {
	for _, quick := range []bool{false, true} {
		b.Run(map[bool]string{false: "verified", true: "quick"}[quick], func(b *testing.B) {
			s, bytes := filled(b)
			o := s.options()
			o.Quick = quick
			b.SetBytes(bytes)
			for b.Loop() {
				_, err := backup.Write(b.Context(), s.broker, b.TempDir(), o)
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkRestore(b *testing.B) {
	s, bytes := filled(b)
	dir := b.TempDir()
	_, err := backup.Write(b.Context(), s.broker, dir, s.options())
	require.NoError(b, err)
	b.SetBytes(bytes)
	for b.Loop() {
		b.StopTimer()
		next := newSystem(b, s)
		copied, err := backup.Open(dir, s.known())
		require.NoError(b, err)
		b.StartTimer()
		require.NoError(b, copied.Restore(b.Context(), next.broker, time.Now(), nil))
	}
}
