package chain

import (
	"context"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Source is what is verified: a running system, or a copy of its streams.
type Source interface {
	// Stream describes a stream. A later call sees at least what an earlier one saw.
	Stream(ctx context.Context, name events.Stream) (Stream, error)
	// Each calls take with each message kept through a sequence, in order.
	Each(ctx context.Context, name events.Stream, through uint64, take func(proof.Message) error) error
}

// Stream describes one stream.
type Stream struct {
	Name    events.Stream `json:"name"`
	Missing bool          `json:"missing,omitempty"`
	Created time.Time     `json:"created"`
	First   uint64        `json:"first"` // sequence kept
	Last    uint64        `json:"last"`  // sequence that was ever assigned
	Kept    uint64        `json:"kept"`  // messages
	// MaxAge is when messages age out, 0: never.
	MaxAge time.Duration `json:"max_age,omitempty"`
	// MaxBytes is the size at which the oldest messages leave, or no more are accepted; 0: none.
	MaxBytes int64 `json:"max_bytes,omitempty"`
	// Now is the broker's time.
	Now time.Time `json:"now"`
}

// Keys are whose signatures count.
type Keys struct {
	// Trusted are the public keys of each stage. The checkpoints of a stage without any
	// are checked for consistency only (AU-4).
	Trusted map[string][]string
	// Revoked are keys whose signatures count only for what was stored before.
	Revoked map[string]time.Time
}

// Options configure a verification.
type Options struct {
	Partitions int
	Keys       Keys
	Anchors    []Anchor
	// Chunk is how many messages are examined together, 0: 1024.
	Chunk int
	// Progress, if not nil, is called now and then with how many of the messages were read.
	Progress func(stream events.Stream, read, of uint64)
}

// State says in a word what counts of a key's signatures in a stream.
func (k Keys) State(name events.Stream, key string) string {
	trusted := k.Trusted[subjects.StageOf(name)]
	switch _, revoked := k.Revoked[key]; {
	case revoked:
		return "revoked"
	case len(trusted) == 0:
		return "not checked"
	case slices.Contains(trusted, key):
		return "trusted"
	}
	return "not trusted"
}

// All reports whether a key of each stage is trusted, so that whatever verifies is authentic.
func (k Keys) All() bool {
	for _, name := range Streams {
		if len(k.Trusted[subjects.StageOf(name)]) == 0 {
			return false
		}
	}
	return true
}
