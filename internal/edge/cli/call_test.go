package cli

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

// What the broker denies has no answer: the call sees its time exceeded, and the user
// must learn why.
func TestExplainNamesWhatWasDenied(t *testing.T) {
	var d Denied
	failed := fmt.Errorf("look up stream TIMERS: %w", context.DeadlineExceeded)
	require.Equal(t, failed, d.Explain(failed), "nothing was denied")

	d.note(fmt.Errorf("%w: Permissions Violation for Publish to %q", nats.ErrDenied, "$JS.API.STREAM.INFO.TIMERS"))
	d.note(errors.New("a later one"))
	require.NoError(t, d.Explain(nil), "the command did not need it")
	err := d.Explain(failed)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.EqualError(t, err, "look up stream TIMERS: context deadline exceeded\n"+
		`the broker answered: Permissions Violation for Publish to "$JS.API.STREAM.INFO.TIMERS"; name a user who may, with nats.user or nats.credentials`)
}

func TestExplainSaysWhatMakesStreams(t *testing.T) {
	var d *Denied
	err := d.Explain(fmt.Errorf("look up stream SIGNALS: %w", jetstream.ErrStreamNotFound))
	require.ErrorIs(t, err, jetstream.ErrStreamNotFound)
	require.ErrorContains(t, err, "streams init")
}
