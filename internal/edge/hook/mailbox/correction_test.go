package mailbox

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// RW-40: a correction is said like an interrupt, once; one for nobody is not.
func TestACorrectionIsSaid(t *testing.T) {
	m := ready()
	correct := func(id, session string) events.Event {
		e := decision(id, &runevents.CorrectionIssued{Issue: "maker/rogue", Step: 1, Text: "Write a test.", Target: runevents.Recipient{Kind: "agent", ID: "maker", Session: session}})
		e.PartitionKey = "r"
		return e
	}
	m.Apply(correct("nobody", ""))
	require.Empty(t, next(m))
	m.Apply(correct("c", "s"))
	require.Equal(t, "c", next(m))
	require.Equal(t, "r", m.Next("s").Run)
	m.Apply(evaluated(40, ""))
	require.Equal(t, "c", next(m), "it does not expire")
	require.True(t, m.Emitted(fact("c"), false))
	m.Apply(correct("c", "s"))
	require.Empty(t, next(m))
}
