package client

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Defaults for [PublisherOptions].
const (
	DefaultMaxInFlight    = 64
	DefaultAttemptTimeout = 5 * time.Second
	DefaultBackoffMin     = 50 * time.Millisecond
	DefaultBackoffMax     = 5 * time.Second
	DefaultSpoolBytes     = 64 << 20
)

// PublisherOptions configure a [Publisher]. Only Source is required.
type PublisherOptions struct {
	// Source is the CloudEvents source of what is published: a URI reference
	// that names the sender, such as "/harness/claude-code/host1". With the id
	// it makes an event unique, so it must stay the same across restarts.
	Source string
	// MaxInFlight bounds the calls that wait for an acknowledgement at the same time;
	// further calls block until one returns or their context ends.
	MaxInFlight int
	// AttemptTimeout bounds one attempt; the context of the call bounds all of them.
	AttemptTimeout time.Duration
	// BackoffMin and BackoffMax bound the pause between attempts, which doubles.
	BackoffMin, BackoffMax time.Duration
	// Limits are those of the installation (EV-3); the zero value means
	// events.DefaultLimits. The server's payload limit applies as well.
	Limits events.Limits
	// Spool keeps events on disk while JetStream is out of reach (EV-11); nil
	// means that a call waits until its context ends.
	Spool *SpoolOptions
	// OnShed is called for every event that was offered or accepted and then dropped; it
	// must not block. Stats counts them too.
	OnShed func(Shed)
	// Now is the clock, time.Now by default.
	Now func() time.Time
}

// SpoolOptions configure the spool on disk.
type SpoolOptions struct {
	// Dir is a folder used only for the spool. Processes may share it, as the hooks of
	// one agent do.
	Dir string
	// MaxBytes bounds the size of the spooled events; once it is reached, further events
	// are shed.
	MaxBytes int64
}

func (o PublisherOptions) withDefaults() PublisherOptions {
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = DefaultMaxInFlight
	}
	if o.AttemptTimeout <= 0 {
		o.AttemptTimeout = DefaultAttemptTimeout
	}
	if o.BackoffMin <= 0 {
		o.BackoffMin = DefaultBackoffMin
	}
	if o.BackoffMax < o.BackoffMin {
		o.BackoffMax = max(DefaultBackoffMax, o.BackoffMin)
	}
	if o.Limits.Data <= 0 {
		o.Limits.Data = events.DefaultLimits().Data
	}
	if o.Limits.Depth <= 0 {
		o.Limits.Depth = events.DefaultLimits().Depth
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.OnShed == nil {
		o.OnShed = func(Shed) {}
	}
	return o
}
