package proof_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// replicated is a stream of which the client library asks any replica. None is asked here.
type replicated struct {
	jetstream.Stream
	t *testing.T
}

func (r replicated) CachedInfo() *jetstream.StreamInfo {
	info := *r.Stream.CachedInfo()
	info.Config.Replicas = 3
	return &info
}

func (r replicated) GetMsg(context.Context, uint64, ...jetstream.GetMsgOpt) (*jetstream.RawStreamMsg, error) {
	r.t.Error("any replica was asked")
	return nil, jetstream.ErrMsgNotFound
}

func (r replicated) GetLastMsgForSubject(ctx context.Context, _ string) (*jetstream.RawStreamMsg, error) {
	return r.GetMsg(ctx, 0)
}

// What only the leader gives is what the client library would read of a single copy.
func TestCurrentStoreAsksTheLeader(t *testing.T) {
	ctx := t.Context()
	js, err := jetstream.New(natstest.Run(t).Conn, jetstream.WithDefaultTimeout(30*time.Second))
	require.NoError(t, err)
	bucket, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "B", History: 5})
	require.NoError(t, err)
	for _, value := range []string{"one", "two", "three"} {
		_, err = bucket.PutString(ctx, "k", value)
		require.NoError(t, err)
	}
	require.NoError(t, bucket.Delete(ctx, "k"))
	stream, err := js.Stream(ctx, "KV_B")
	require.NoError(t, err)
	copied, leader := proof.NewStore(stream), proof.NewCurrentStore(replicated{stream, t}, js)
	for name, read := range map[string]func(*proof.Store) (*proof.Message, error){
		"the last":       func(s *proof.Store) (*proof.Message, error) { return s.Last(ctx, "$KV.B.k") },
		"by sequence":    func(s *proof.Store) (*proof.Message, error) { return s.At(ctx, 2) },
		"from there on":  func(s *proof.Store) (*proof.Message, error) { return s.Next(ctx, "$KV.B.>", 3) },
		"no such key":    func(s *proof.Store) (*proof.Message, error) { return s.Last(ctx, "$KV.B.none") },
		"no such number": func(s *proof.Store) (*proof.Message, error) { return s.At(ctx, 99) },
		"none from there on": func(s *proof.Store) (*proof.Message, error) {
			return s.Next(ctx, "$KV.B.k", 5)
		},
	} {
		want, err := read(copied)
		require.NoError(t, err, name)
		got, err := read(leader)
		require.NoError(t, err, name)
		if want != nil { // the library's answer names the place in headers, too
			for _, added := range []string{"Nats-Stream", "Nats-Subject", "Nats-Sequence", "Nats-Time-Stamp"} {
				want.Header.Del(added)
			}
			if len(want.Header) == 0 {
				want.Header = nil
			}
			require.Equal(t, string(want.Data), string(got.Data), name)
			want.Data, got.Data = nil, nil
		}
		require.Equal(t, want, got, name)
	}
	require.NoError(t, js.DeleteKeyValue(ctx, "B"))
	_, err = leader.Last(ctx, "$KV.B.k")
	require.ErrorContains(t, err, "stream not found")
}
