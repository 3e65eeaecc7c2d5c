package embedded

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

// A server that reads its streams longer than it may take to accept connections starts: what counts is that
// it still reads. One that cannot listen does not (EV-11).
func TestAServerMayReadItsStreamsForLong(t *testing.T) {
	before := filepath.Join(t.TempDir(), "before")
	s, err := Start(Options{Dir: before, LazySync: true})
	require.NoError(t, err)
	nc, err := nats.Connect("", nats.InProcessServer(s))
	require.NoError(t, err)
	js, err := nc.JetStream()
	require.NoError(t, err)
	_, err = js.AddStream(&nats.StreamConfig{Name: "S", Subjects: []string{"s.>"}, Storage: nats.FileStorage})
	require.NoError(t, err)
	for n := range 20_000 {
		_, err := js.PublishAsync(fmt.Sprint("s.", n), make([]byte, 100), nats.StallWait(time.Minute))
		require.NoError(t, err)
	}
	<-js.PublishAsyncComplete()
	crashed := filepath.Join(t.TempDir(), "crashed") // as a killed process leaves it: all is read again
	require.NoError(t, os.CopyFS(crashed, os.DirFS(before)))
	nc.Close()
	require.NoError(t, s.Shutdown())

	defer func(usual time.Duration) { readyWithin = usual }(readyWithin)
	readyWithin = time.Millisecond
	s, err = Start(Options{Dir: crashed})
	require.NoError(t, err)
	require.NoError(t, s.Shutdown())

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	_, err = Start(Options{Dir: t.TempDir(), Port: port})
	require.ErrorContains(t, err, fmt.Sprintf("port %d in use", port))
}
