package embedded

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
)

// What nats-server says when its storage fails is kept, the first line of it; other errors are not
// about storage.
func TestTheServerSaysThatItsStorageFailed(t *testing.T) {
	for line, breaks := range map[string]bool{
		"JetStream stream '$G > INPUT' critical write error: write /d/msgs/1.blk: no space left on device":     true,
		"Filestore [INPUT] Critical write error: write /d/msgs/1.blk: input/output error":                      true,
		"JetStream failed to store a msg on stream '$G > INPUT': write /d/msgs/1.blk: no space left on device": true,
		"JetStream out of resources, will be DISABLED":                                                         true,
		"JetStream failed to store a msg on stream '$G > INPUT': maximum bytes exceeded":                       false,
		"127.0.0.1:40000 - cid:7 - authentication error":                                                       false,
		"RAFT [abc] Request from follower for entry":                                                           false,
	} {
		var b broken
		l := &serverLog{log: slog.New(slog.DiscardHandler), broken: &b}
		l.Errorf("%s", line)
		require.Equal(t, breaks, b.text() == line, line)
		l.Errorf("JetStream out of resources, will be DISABLED")
		if breaks {
			require.Equal(t, line, b.text(), "the first")
		}
	}
}
