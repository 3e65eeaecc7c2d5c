package cloudevents

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Transcript recognises and reads logs of CloudEvents.
var Transcript = transcript.Format{
	Name: Name, Title: "CloudEvents log (JSONL)", Log: true,
	Signs:     "`specversion`, `id`, `source` and `type`",
	Limits:    `turns, sessions, run events; passed on as they are, including unknown fields, except that --run names the run of sessions without one; opens and closes no sessions itself`,
	Recognise: func(h transcript.Head) int { return transcript.Best(h, confidence) },
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return decoder{a, sessions{map[string]string{}, a.Options().Run}}
	},
}

func confidence(p record.Probe) int {
	if p.Has("specversion", "id", "source", "type") {
		return 100
	}
	return 0
}

type decoder struct {
	a        *transcript.Assembler
	sessions sessions
}

// Record passes one event through. That includes events of unknown types, and invalid ones as long as their
// subject is known: rejecting them is up to ingest, so that every report names them (EV-3, DP-33).
func (d decoder) Record(r record.Record) error {
	e, err := events.UnmarshalStructured(append([]byte(nil), r.Data...))
	if err != nil && (e.Type == "" || !events.ValidID(e.Subject)) {
		return fmt.Errorf("not an event of the contract: %w", err)
	}
	d.sessions.join(&e)
	d.a.Pass(e)
	return nil
}

// End adds nothing: a log records the ends of its sessions itself.
func (d decoder) End() {}
