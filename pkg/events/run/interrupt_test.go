package run_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RW-40: a correction reaches its agent in an interrupt's form.
func TestAsInterrupt(t *testing.T) {
	fired := &sessionevents.InterruptFired{ID: "i"}
	got, ok := runevents.AsInterrupt("", "", fired)
	require.True(t, ok)
	require.Same(t, fired, got)

	correction := &runevents.CorrectionIssued{Layer: sessionevents.LayerArchetype, Issue: "maker/rogue", Step: 1, Action: "correct", Text: "Write a test.", Target: runevents.Recipient{Kind: "agent", ID: "m"}}
	_, ok = runevents.AsInterrupt("c", "r", correction)
	require.False(t, ok, "nobody to say it to")
	correction.Target.Session = "s"
	got, ok = runevents.AsInterrupt("c", "r", correction)
	require.True(t, ok)
	require.Equal(t, &sessionevents.InterruptFired{
		Session: "s", Run: "r", ID: "c", Layer: sessionevents.LayerArchetype, Detector: "maker/rogue", HoldUntil: "immediate",
		Headline: "⚡ SCAFFOLD-WATCH CORRECTION [maker/rogue | STEP 1]", Message: "Write a test.", Target: sessionevents.Target{Session: "s", Instance: "r"},
	}, got)
	correction.Reason = "No test among 3 files."
	got, _ = runevents.AsInterrupt("c", "r", correction)
	require.Equal(t, "No test among 3 files. Write a test.", got.Message, "an agent hears what was seen")
	correction.Step = 2
	got, _ = runevents.AsInterrupt("c", "r", correction)
	require.Equal(t, "Write a test.", got.Message, "a later step says it in its text")
	_, ok = runevents.AsInterrupt("", "", &runevents.WiggumBreak{})
	require.False(t, ok)
}
