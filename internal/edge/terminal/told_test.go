package terminal

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

func TestTheSameAnswersStandOnce(t *testing.T) {
	options := []runevents.Option{{ID: "1", Text: "Re-run wave"}, {ID: "2", Text: "Investigate"}}
	gate := events.Event{Subject: "a", Data: &runevents.GateDecided{Gate: runevents.GateMerge, Decision: runevents.DecisionDeny, Options: options}}
	raised := &runevents.EscalationRaised{To: "user", Issue: "wave/isolation_failure", Text: "How shall it go on?", Options: options}

	var told Told
	require.Contains(t, plain(80).Feed(told.Once(gate)), "Re-run wave")
	text := plain(80).Feed(told.Once(events.Event{Subject: "a", Data: raised}))
	require.NotContains(t, text, "Re-run wave")
	require.Contains(t, text, "How shall it go on?")
	require.Len(t, raised.Options, 2, "the event itself stays as it is")

	told.Once(gate)
	require.Contains(t, plain(80).Feed(told.Once(events.Event{Subject: "b", Data: raised})), "Re-run wave", "of another run")
	told.Once(gate)
	other := *raised
	other.Options = options[:1]
	require.Contains(t, plain(80).Feed(told.Once(events.Event{Subject: "a", Data: &other})), "Re-run wave", "other answers")
}
