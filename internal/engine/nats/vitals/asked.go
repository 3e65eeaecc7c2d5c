package vitals

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go"
)

// readySubject is where a process with an embedded broker says what it says at /readyz:
// only it sees the broker's disk and hears the broker's own errors, and it may have no
// HTTP interface (ADR 35). Only the administrator may ask.
const readySubject = "readyz"

// askPatience bounds the wait for an answer.
const askPatience = 2 * time.Second

// Answer answers those who ask for the readiness of the process, until the connection
// ends.
func Answer(nc *nats.Conn, words func() map[string]string) error {
	_, err := nc.Subscribe(readySubject, func(m *nats.Msg) {
		if data, err := json.Marshal(words()); err == nil {
			_ = m.Respond(data)
		}
	})
	return err
}

// Ask returns what the process of an embedded broker says at /readyz; ok is false where
// nobody answers.
func Ask(ctx context.Context, nc *nats.Conn) (words map[string]string, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	reply, err := nc.RequestWithContext(ctx, readySubject, nil)
	if err != nil || json.Unmarshal(reply.Data, &words) != nil {
		return nil, false
	}
	return words, true
}
