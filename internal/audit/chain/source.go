package chain

import (
	"context"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Source is the record to verify: a running system, or a copy of its streams.
type Source interface {
	// Stream describes a stream. A later call sees at least what an earlier one saw.
	Stream(ctx context.Context, name events.Stream) (proof.Stream, error)
	// Each calls take, in order, for each message kept up to and including a sequence.
	Each(ctx context.Context, name events.Stream, through uint64, take func(proof.Message) error) error
}

// Keys are the keys whose signatures count.
type Keys struct {
	// Trusted maps each stage to its public keys. Without any, the stage's checkpoints are checked for
	// consistency only (AU-4).
	Trusted map[string][]string
	// Revoked maps keys to their revocation; their signatures count only for what was stored before.
	Revoked map[string]time.Time
}

// Options configure a verification.
type Options struct {
	Partitions int
	Keys       Keys
	Anchors    []Anchor
	// Chunk is how many messages are examined together; 0 means 1024.
	Chunk int
	// Progress, if not nil, is called now and then with the number of messages read.
	Progress func(stream events.Stream, read, of uint64)
}

// State returns in a word whether and how a key's signatures in a stream count.
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

// All reports whether a key of each stage is trusted, so that everything that verifies is authentic.
func (k Keys) All() bool {
	for _, name := range Streams {
		if len(k.Trusted[subjects.StageOf(name)]) == 0 {
			return false
		}
	}
	return true
}
