package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// AU-41: a cluster whose own group has no leader says that JetStream is unavailable. That is no quorum: the
// question is asked again, and who gives up says so.
func TestAClusterWithoutALeaderIsAskedAgain(t *testing.T) {
	answer := []byte(`{"error":{"code":503,"err_code":10008,"description":"JetStream system temporarily unavailable"}}`)
	for name, unavailable := range map[string]error{
		"the API":     decodeAnswer(answer, new(json.RawMessage)),
		"the library": &jetstream.APIError{Code: 503, ErrorCode: 10008, Description: "JetStream system temporarily unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), leaderPause/4)
			defer cancel()
			require.ErrorContains(t, untilLed(ctx, func(context.Context) error { return unavailable }), "no quorum")

			ctx, cancel = context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			asked := 0
			require.NoError(t, untilLed(ctx, func(context.Context) error {
				if asked++; asked < 2 {
					return unavailable
				}
				return nil
			}))
			require.Equal(t, 2, asked)
		})
	}
	refused := errors.New("the broker refuses")
	require.Equal(t, refused, untilLed(t.Context(), func(context.Context) error { return refused }), "other errors end it at once")
}
