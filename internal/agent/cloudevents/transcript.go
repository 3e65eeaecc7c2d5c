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
	Limits:    `turns, sessions, run events; passed on as they are, unknown fields included, but for the run that --run names where a session names none; opens and closes no session of its own`,
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

// Record passes one event through. An event of a type that is not known passes
// too, and so does one that is not valid as long as it says what it is about: it is
// for ingest to refuse it, so that every report names it (EV-3, DP-33).
func (d decoder) Record(r record.Record) error {
	e, err := events.UnmarshalStructured(append([]byte(nil), r.Data...))
	if err != nil && (e.Type == "" || !events.ValidID(e.Subject)) {
		return fmt.Errorf("not an event of the contract: %w", err)
	}
	d.sessions.join(&e)
	d.a.Pass(e)
	return nil
}

// End adds nothing: a log says itself when its sessions end.
func (d decoder) End() {}
