package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// One story runs through the examples: the run checkout-retry with the session s-checkout-01, in which an
// agent adds retries to a payment client.
const (
	exampleRun     = "checkout-retry"
	exampleSession = "s-checkout-01"
	exampleTrace   = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
)

var exampleTime = time.Date(2026, 11, 20, 9, 30, 0, 125_000_000, time.UTC)

// Examples returns one complete, realistic event of every type.
func Examples() map[events.Type]events.Event {
	out := map[events.Type]events.Event{}
	for _, group := range []map[events.Type]any{
		sessionExamples(), runExamples(), agentExamples(), waveExamples(), pipelineExamples(),
		segmentExamples(), signalExamples(), decisionExamples(), verdictExamples(),
	} {
		for t, data := range group {
			out[t] = envelope(t, data)
		}
	}
	return maps.Clone(out)
}

// envelope returns the event of a type with the given data.
func envelope(t events.Type, data any) events.Event {
	d, _ := events.Lookup(t)
	e := events.Event{
		Source: "/orchestrators/archeflow", Type: t, Subject: exampleSession, Time: exampleTime,
		DataSchema: events.SchemaID(t), Correlation: exampleRun, PartitionKey: exampleRun, TraceParent: exampleTrace, Data: data,
	}
	if d.RunEvent || aboutRun[t] {
		e.Subject = exampleRun
	}
	if d.Direction == events.DirectionInput {
		e.ID = "example-" + string(t)
		return e
	}
	stage := subjects.StageOf(d.Stream)
	e.Source = "/scaffoldwatch/" + stage
	e.CausationID = "example-turn.raw"
	e.ID = events.DerivedID(stage, "/orchestrators/archeflow", e.CausationID+string(t), 0)
	e.RulesVersion = "2026.11.1"
	e.ConfigHash = "5b0c7d1e9f3a2486"
	return e
}

// aboutRun are the derived types whose example is about the run itself.
var aboutRun = map[events.Type]bool{
	runevents.TypeEscalationRaised: true, runevents.TypeWiggumBreak: true, runevents.TypeGateDecided: true,
	runevents.TypeViolationDetected: true, runevents.TypeWarningIssued: true, runevents.TypePolicyBudget: true,
	runevents.TypePolicyCheckpoint: true, runevents.TypeCorrectionIssued: true, runevents.TypeClarificationRequested: true,
	runevents.TypeClarificationDefaulted: true, runevents.TypeNotificationSent: true, runevents.TypeNotificationHeld: true,
}

// Golden returns an example as a structured CloudEvent, indented, with a final newline.
func Golden(e events.Event) ([]byte, error) {
	line, err := events.MarshalStructured(e)
	if err != nil {
		return nil, fmt.Errorf("example of %s: %w", e.Type, err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, line, "", "  "); err != nil {
		return nil, fmt.Errorf("example of %s: %w", e.Type, err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func ptr[T any](v T) *T { return &v }
