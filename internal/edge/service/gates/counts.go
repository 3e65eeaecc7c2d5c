package gates

import (
	"crypto/rand"
	"strings"
	"sync/atomic"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// counts are the figures for $SRV.STATS in addition to the framework's own, which only cover the time until
// a request is accepted.
type counts struct {
	allowed, refused, failed, ignored atomic.Uint64
	nanoseconds                       atomic.Int64 // total over all answers
}

// Counts are the figures of the service in $SRV.STATS.
type Counts struct {
	Allowed uint64  `json:"allowed"`
	Refused uint64  `json:"refused"` // denied or held by a rule
	Failed  uint64  `json:"failed"`  // denied because there was no answer, or the request was invalid
	Ignored uint64  `json:"ignored"` // requests whose reply subject is not an inbox
	Average float64 `json:"average_ms"`
}

func (c *counts) answered(g runevents.GateDecided, took time.Duration) {
	if client.Allows(&g) {
		c.allowed.Add(1)
	} else {
		c.refused.Add(1)
	}
	c.nanoseconds.Add(int64(took))
}

func (c *counts) now() Counts {
	out := Counts{Allowed: c.allowed.Load(), Refused: c.refused.Load(), Failed: c.failed.Load(), Ignored: c.ignored.Load()}
	if n := out.Allowed + out.Refused; n > 0 {
		out.Average = float64(c.nanoseconds.Load()) / float64(n) / 1e6
	}
	return out
}

func newID() string { return strings.ToLower(rand.Text()) }
