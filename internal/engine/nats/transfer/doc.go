// Package transfer copies whole streams, with sequences, times and headers as the broker
// stores them, and creates streams from such copies (AU-41). It uses the broker's own snapshot
// and restore, in the form that nats-server has since 2.15. Services do not link it.
package transfer
