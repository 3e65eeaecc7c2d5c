package nats_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// doorman reports what it could not even decode.
type doorman struct{ enginetest.Tally }

func (d doorman) Options() step.Options[*enginetest.State] {
	o := d.Tally.Options()
	o.Refused = d.refused
	return o
}

func (doorman) refused(in step.Input, reason string, _ func(string) string, out *step.Emitter) {
	ev := in.Event
	out.Emit(sessionevents.TypeInputRefused, ev.Subject, &sessionevents.InputRefused{
		Session: ev.Subject, Run: ev.Group(), Event: ev.ID, EventType: string(ev.Type), Code: "test", Reason: reason,
	})
}

// DP-33: what was refused at the door is reported in its session, also a message
// that is no event at all.
func TestRefusedOnTheBroker(t *testing.T) {
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	runs(t, b, doorman{enginetest.Tally{Name: "ingest"}}, brisk, nil)
	ctx := context.Background()
	_, err := b.JetStream().Publish(ctx, "turn.raw.r.s", []byte(`no event`))
	require.NoError(t, err)
	without := nats.NewMsg("turn.raw.r.s")
	without.Header = nats.Header{"ce-specversion": {"1.0"}, "ce-id": {"t"}, "ce-source": {"/x"}, "ce-type": {"turn.raw"}, "ce-subject": {"s"}, "ce-partitionkey": {"r"}}
	without.Data = []byte(`{"session":"s","text":"hello"}`)
	_, err = b.JetStream().PublishMsg(ctx, without)
	require.NoError(t, err)

	var lines []string
	for _, of := range accepted(t, b, "ingest", 2) {
		lines = append(lines, of...)
	}
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], `"session":"s","run":"r"`)
	require.Contains(t, lines[0], `"event_type":"turn.raw"`)
	require.Contains(t, lines[0], "no ce-specversion header")
	require.Contains(t, lines[1], `"event":"t","event_type":"turn.raw"`)
	require.Contains(t, lines[1], "data.turn_id: is missing")
	first, _, _ := strings.Cut(lines[0], " ")
	second, _, _ := strings.Cut(lines[1], " ")
	require.NotEqual(t, first, second)
}
