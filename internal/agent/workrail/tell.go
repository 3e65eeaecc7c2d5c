package workrail

import (
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Limits on one text, in bytes, and on lists (EV-3).
const (
	maxText  = 64 << 10
	maxWords = 400
	maxPath  = 1024
	maxList  = 64
)

// teller emits the events of one run.
type teller struct {
	a      *transcript.Assembler
	format string
	id     string
	last   time.Time
}

// tell emits an event. Its id is derived from the run and the record that reports it, so that what is read
// again counts once (EV-2).
func (t *teller) tell(typ events.Type, about string, data any) {
	source := transcript.SourceOf(t.format)
	if t.last.IsZero() {
		t.last = transcript.Epoch
	}
	t.a.Pass(events.Event{
		ID:     events.DerivedID("adapter", source, t.id+"\x00"+string(typ)+"\x00"+about, 0),
		Source: source, Type: typ, Subject: t.id, Time: t.last, Data: data,
		Correlation: t.id, PartitionKey: t.id,
	})
}

// at advances the run's clock; time never runs backwards within a run.
func (t *teller) at(when time.Time) {
	if when.After(t.last) {
		t.last = when.UTC()
	}
}

func actor() runevents.Actor {
	return runevents.Actor{Kind: runevents.ActorOrchestrator, ID: "workrail"}
}

// runID returns the id that the user asked for, or else the first name that can be an id.
func runID(o transcript.Options, names ...string) string {
	if o.Run != "" {
		return o.Run
	}
	for _, name := range names {
		if id := sessionid.Valid(name); id != "" {
			return id
		}
	}
	return StoreName
}

func clip[T ~string](s T, limit int) string {
	return text.Cut(strings.TrimSpace(string(s)), limit)
}

// plainName returns a name that can be shown to people without quoting content.
func plainName(s loose.String) string {
	for _, r := range string(s) {
		if (r < 'a' || r > 'z') && r != '_' && r != '.' {
			return "another kind"
		}
	}
	return clip(s, 40)
}
