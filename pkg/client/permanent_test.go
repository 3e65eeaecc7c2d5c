package client

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// A publisher goes on after an answer that the next attempt will not get.
func TestWhatEndsAPublisher(t *testing.T) {
	inProcess := &jetstream.APIError{Code: 409, ErrorCode: duplicateInProcess, Description: "duplicate message id is in process"}
	require.False(t, permanent(fmt.Errorf("publish: %w", inProcess)))
	require.True(t, permanent(&jetstream.APIError{Code: 400, ErrorCode: 10060}), "another stream is expected")
	require.False(t, permanent(&jetstream.APIError{Code: 503, ErrorCode: 10077}), "the account's limit is reached")
	require.False(t, permanent(&jetstream.APIError{Code: 503, ErrorCode: 10008}), "no leader yet")
}
