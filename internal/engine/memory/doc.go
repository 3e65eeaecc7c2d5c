// Package memory runs machines without a broker. [Stream] implements the
// engine's ports, with the fence, so that a [engine.Runner] works on it as on
// NATS. [Chain] drives the engine's kernel directly: one event in, the decisions
// of all stages out, in the caller's goroutine, with timers that expire as the
// events' own times pass. `scan` is a chain with an adapter in front.
package memory
