package transcript

import (
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Live reads the records of one session while an agent writes them. A Source completes a turn when the next
// one begins; a Live completes it when its user reports that a response is complete (Settle), so that an
// interrupt can precede the next one. It is not safe for concurrent use.
type Live struct {
	native    string
	decoder   Decoder
	assembler *Assembler
	records   int
}

// Live returns a reader for a session of the format. Session is its id if the records name none. Of the
// options, only the session and the run matter.
func (f Format) Live(session string, o Options) *Live {
	a := New(f.Name, sessionid.Valid(session), Options{Session: o.Session, Run: o.Run, Follow: true})
	return &Live{native: f.Native, decoder: f.Decode(a), assembler: a}
}

// Record reads one record, a line or message in the form of the format. It returns an error if the record
// is broken; reading continues with the next one.
func (l *Live) Record(data []byte) error {
	l.records++
	l.assembler.At(l.records, 0)
	rec := record.Record{Key: l.native, Data: events.ValidUTF8(data), Line: l.records}
	if err := l.decoder.Record(rec); err != nil {
		return fmt.Errorf("read record %d: %w", l.records, err)
	}
	return nil
}

// Settle completes the open turns that have calls, all with results. A turn without a call ends the agent's
// task: Flush completes it.
func (l *Live) Settle() { l.assembler.Settle() }

// Flush completes the open turns as they are, once the agent has stopped.
func (l *Live) Flush() {
	l.decoder.End()
	l.assembler.Flush()
}

// Fail records that the current response failed, for one of the Stop reasons; Flush completes it.
func (l *Live) Fail(reason string) { l.assembler.Fail(reason, time.Now()) }

// Take removes and returns the complete events: session.opened and turn.raw. Closing the session is up to
// the caller, who knows why it ended.
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
