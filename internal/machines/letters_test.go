package machines

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/ingest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/planted"
)

// failing is ingest that cannot fold one input.
type failing struct {
	*ingest.Machine
	id string
}

func (f failing) Step(s *ingest.State, in step.Input, out *step.Emitter) (*ingest.State, error) {
	if in.Event.ID == f.id {
		return nil, errors.New("told to fail")
	}
	return f.Machine.Step(s, in, out)
}

// What was recognised once in a session is redacted in the dead letters of its later inputs too,
// without what gave it away (SW-7): in what the publisher wrote into the envelope, in a reason that
// quotes it, and in the input itself. So is the report that the input was refused. The skip in the stage's own stream has the same reason.
func TestDeadLettersAreRedactedByRepetition(t *testing.T) {
	core, err := New(Options{Rules: rules.Default()})
	require.NoError(t, err)
	secret := secretstest.New(9).Random(14) + "7!"
	in, out := memory.NewStream(events.StreamInput, 1), memory.NewStream(events.StreamSegments, 1)
	turn := func(id, text string) events.Event {
		return events.Event{
			ID: id, Source: "/test", Type: sessionevents.TypeTurnRaw, Subject: "s", Time: time.Unix(1_800_000_000, 0).UTC(),
			Data: planted.Turn("s", id, planted.Said(sessionevents.BlockText, text)),
		}
	}
	in.Append(turn("t1", "The admin password is "+secret+"."))
	in.Append(turn("t2", "The value ("+secret+") is in place."))
	refused := turn("t3 "+secret, "x")
	refused.Source = "/with " + secret
	at := in.AppendRecord(engine.Record{Group: "s", Input: step.Input{Event: refused}, Refused: &step.Input{Event: refused}, Fault: "data.x: \"" + secret + "\" is not allowed", Data: []byte("{}")})
	in.Append(turn("t4", "Goes on."))
	in.End()
	runner := &engine.Runner[*ingest.State]{
		Machine: failing{core.Ingest, "t2"}, Identity: core.Identity, Source: in, Sink: out, Options: engine.Options{Partitions: 1},
	}
	require.NoError(t, runner.Run(t.Context()))

	letters := out.DeadLetters()
	require.Len(t, letters, 2)
	for key, letter := range letters {
		text, err := json.Marshal(letter)
		require.NoError(t, err)
		require.NotContains(t, string(text)+string(letter.Redacted), secret, key)
	}
	log, err := out.Open(t.Context(), 0)
	require.NoError(t, err)
	skips, err := log.Skipped(t.Context(), "s")
	require.NoError(t, err)
	require.Len(t, skips, 2)
	require.NotContains(t, skips[at], secret)
	require.Contains(t, skips[at], "is not allowed")
	reported := 0
	for message, err := range out.Written(t.Context(), 0) {
		require.NoError(t, err)
		text, err := json.Marshal(message.Header)
		require.NoError(t, err)
		require.NotContains(t, string(text)+string(message.Data), secret)
		if slices.Contains(message.Header["ce-type"], sessionevents.TypeInputRefused) {
			reported++
		}
	}
	require.Equal(t, 2, reported)
}
