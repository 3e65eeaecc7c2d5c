package copilotchat

import (
	"encoding/json"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Transcript recognises and reads both forms.
var Transcript = transcript.Format{
	Name: Name, Title: "VS Code Copilot Chat session (JSON, journal in JSONL)",
	Signs:     "`requests` with `responderUsername` or messages, or lines with `kind`, `k`, `v`",
	Limits:    "versions 1 to 3; results of tools as far as the session keeps them",
	Recognise: recognise,
	Members:   record.Members{Stream: []string{"requests"}, Keep: []string{"sessionId"}},
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{a: a, s: a.Main(), phrases: outcome.Default()}
	},
}

func recognise(h transcript.Head) int {
	return transcript.Best(h, func(p record.Probe) int {
		switch {
		case p.Has("requests", "responderUsername"), p.Has("requests[].requestId", "requests[].message"):
			return 92
		case p.Is("kind", "0") && p.Has("v.requests") && (p.Has("v.sessionId") || p.Has("v.version")):
			return 92
		}
		return 0
	})
}

type decoder struct {
	a       *transcript.Assembler
	s       *transcript.Session
	phrases *outcome.Phrases
	journal *journal
}

// Record reads a request, a member, or a line of a journal.
func (d *decoder) Record(r record.Record) error {
	if r.Key == "sessionId" {
		d.s.Name(loose.Text(r.Data))
		return nil
	}
	if r.Key == "requests" {
		return d.request(r.Data)
	}
	var c change
	if err := json.Unmarshal(r.Data, &c); err != nil {
		return fmt.Errorf("not a line of a journal: %w", err)
	}
	if c.Kind == nil {
		return d.request(r.Data)
	}
	if d.journal == nil {
		d.journal = &journal{}
	}
	return d.journal.apply(&c, len(r.Data))
}

// End reads the requests in the journal's final state.
func (d *decoder) End() {
	if d.journal == nil {
		return
	}
	d.s.Name(d.journal.session())
	for _, raw := range d.journal.requests() {
		if err := d.request(raw); err != nil {
			d.a.Problem("%v", err)
		}
	}
}
