package agent

import (
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/assemble"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/format"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Live reads the records of one session while an agent makes them. Other than a
// Source, which completes a turn when the next one begins, it is told when a
// response is whole (Settle), so that an interrupt can come before the next one.
// It is not safe for concurrent use.
type Live struct {
	native    string
	decoder   format.Decoder
	assembler *assemble.Assembler
	records   int
}

// NewLive makes the reader of a session of the format called name. Session is
// its id where the records name none. An unknown format wraps ErrUnknown.
func NewLive(name, session string, o Options) (*Live, error) {
	f, err := formatNamed(name)
	if err != nil {
		return nil, err
	}
	a := assemble.New(f.Name, assemble.ValidID(session), assemble.Options{Session: o.Session, Run: o.Run, Follow: true})
	return &Live{native: f.Native, decoder: f.Decode(a), assembler: a}, nil
}

// Record reads one record, a line or message in the format's shape. An error
// says why it is broken; reading goes on with the next one.
func (l *Live) Record(data []byte) error {
	l.records++
	l.assembler.At(l.records, 0)
	if err := l.decoder.Record(record.Record{Key: l.native, Data: data, Line: l.records}); err != nil {
		return fmt.Errorf("read record %d: %w", l.records, err)
	}
	return nil
}

// Settle completes the open turns that have calls, all with their results. One
// without a call ends the agent's task: Flush completes it.
func (l *Live) Settle() { l.assembler.Settle() }

// Flush completes the open turns as they are; the agent stopped.
func (l *Live) Flush() {
	l.decoder.End()
	l.assembler.Flush()
}

// Fail notes that the response under way failed, for one of the reasons of
// package assemble; Flush completes it.
func (l *Live) Fail(reason string) { l.assembler.Fail(reason, time.Now()) }

// Take removes and returns the events that are complete: session.opened and
// turn.raw. Who closes the session is who knows why it ended.
func (l *Live) Take() []events.Event {
	var out []events.Event
	for {
		e, ok := l.assembler.Take()
		if !ok {
			return out
		}
		out = append(out, e)
	}
}
