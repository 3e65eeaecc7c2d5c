package gates

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Question is the content of a request: the data of gate.requested and the run, which the subject may name
// instead.
type Question struct {
	Run string `json:"run"`
	runevents.GateRequested
}

// readQuestion parses a request to gate.request or gate.request.<run>. With the run in the subject,
// permissions can restrict a user to its own runs (EV-10).
func readQuestion(subject string, data []byte) (Question, error) {
	var q Question
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields() // a misspelt field would ask something else
	if err := decoder.Decode(&q); err != nil {
		return q, fmt.Errorf(`read the question, such as {"run":"nightly","gate":"launch","wave":1}: %w`, err)
	}
	if run, ok := strings.CutPrefix(subject, Subject+"."); ok {
		if q.Run != "" && q.Run != run {
			return q, fmt.Errorf("the subject asks about run %s, the question about %s", run, q.Run)
		}
		q.Run = run
	}
	if q.Actor.Kind == "" {
		q.Actor.Kind = runevents.ActorOrchestrator
	}
	return q, events.Validate(q.event("question"), events.DefaultLimits())
}

// event returns the event that asks the question in INPUT.
func (q Question) event(id string) events.Event {
	return events.Event{ID: id, Source: source, Type: runevents.TypeGateRequested, Subject: q.Run, PartitionKey: q.Run, Data: &q.GateRequested}
}
