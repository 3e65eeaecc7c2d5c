package proof

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Stream describes a stream as the broker, a backup or a bundle holds it, for an audit (AU-1).
type Stream struct {
	Name    events.Stream `json:"name"`
	Missing bool          `json:"missing,omitempty"`
	Created time.Time     `json:"created"`
	First   uint64        `json:"first"` // first sequence kept
	Last    uint64        `json:"last"`  // last sequence ever assigned
	Kept    uint64        `json:"kept"`  // number of messages
	// MaxAge is the age at which messages are removed, 0 for never.
	MaxAge time.Duration `json:"max_age,omitempty"`
	// MaxBytes is the size at which the oldest messages are removed, or new ones rejected; 0 for no limit.
	MaxBytes int64 `json:"max_bytes,omitempty"`
	// Now is the broker's time.
	Now time.Time `json:"now"`
}

// CanAge reports whether the oldest messages can have expired. If not, those missing at the beginning were
// replaced or erased.
func (s Stream) CanAge() bool { return s.MaxAge > 0 && s.Created.Before(s.Now.Add(-s.MaxAge)) }
