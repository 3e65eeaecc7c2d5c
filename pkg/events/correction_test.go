package events_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RW-40: a correction reaches its agent in an interrupt's form.
func TestAsInterrupt(t *testing.T) {
	fired := &sessionevents.InterruptFired{ID: "i"}
	got, ok := events.AsInterrupt(events.Event{Data: fired})
	require.True(t, ok)
	require.Same(t, fired, got)

	correction := &runevents.CorrectionIssued{Layer: sessionevents.LayerArchetype, Issue: "maker/rogue", Step: 1, Action: "correct", Text: "Write a test.", Target: runevents.Recipient{Kind: "agent", ID: "m"}}
	e := events.Event{ID: "c", Subject: "s", PartitionKey: "r", Data: correction}
	_, ok = events.AsInterrupt(e)
	require.False(t, ok, "nobody to say it to")
	correction.Target.Session = "s"
	got, ok = events.AsInterrupt(e)
	require.True(t, ok)
	require.Equal(t, &sessionevents.InterruptFired{
		Session: "s", Run: "r", ID: "c", Layer: sessionevents.LayerArchetype, Detector: "maker/rogue", HoldUntil: "immediate",
		Headline: "⚡ SCAFFOLD-WATCH CORRECTION [maker/rogue | STEP 1]", Message: "Write a test.", Target: sessionevents.Target{Session: "s", Instance: "r"},
	}, got)
	correction.Reason = "No test among 3 files."
	got, _ = events.AsInterrupt(e)
	require.Equal(t, "No test among 3 files. Write a test.", got.Message, "an agent hears what was seen")
	correction.Step = 2
	got, _ = events.AsInterrupt(e)
	require.Equal(t, "Write a test.", got.Message, "a later step says it in its text")
	_, ok = events.AsInterrupt(events.Event{Data: &runevents.WiggumBreak{}})
	require.False(t, ok)
}
