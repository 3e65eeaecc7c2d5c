// Package cloudevents reads logs of CloudEvents, one structured-mode event per
// line or element: turns, sessions, run events, deliveries, whatever was
// published. Events pass through as they are, unknown fields included (EV-3).
package cloudevents

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/assemble"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/format"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Name is the format's name.
const Name = "cloudevents"

// Format recognises and reads logs of CloudEvents.
func Format() format.Format {
	return format.Format{
		Name: Name, Title: "CloudEvents log (JSONL)", Log: true,
		Recognise: func(h format.Head) int { return format.Best(h, confidence) },
		Decode:    func(a *assemble.Assembler) format.Decoder { return decoder{a, sessions{}} },
	}
}

func confidence(p record.Probe) int {
	if p.Has("specversion", "id", "source", "type") {
		return 100
	}
	return 0
}

type decoder struct {
	a        *assemble.Assembler
	sessions sessions
}

// Record passes one event through. An event of a type that is not known passes
// too: it is for ingest to send it to the dead letters (EV-3).
func (d decoder) Record(r record.Record) error {
	e, err := events.UnmarshalStructured(append([]byte(nil), r.Data...))
	if err != nil {
		return fmt.Errorf("not an event of the contract: %w", err)
	}
	d.sessions.join(&e)
	d.a.Pass(e)
	return nil
}

// End adds nothing: a log says itself when its sessions end.
func (d decoder) End() {}
