package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// NativeBlocks parses the native form of one turn, which a live publisher sends in turn.raw with the
// format's name (docs/formats.md): one line or message, or an array of those in the turn. A subagent's
// blocks are left out if the turn's own session has any. Unsupported lists what could not be interpreted.
// It fails for an unknown format or damaged JSON.
func (list Formats) NativeBlocks(name string, native json.RawMessage) (blocks []sessionevents.Block,
	unsupported []string, err error,
) {
	f, err := list.Turns(name)
	if err != nil {
		return nil, nil, err
	}
	parts, err := nativeRecords(native)
	if err != nil {
		return nil, nil, fmt.Errorf("read a turn of format %s: %w", name, err)
	}
	a := New(f.Name, f.Name, Options{Follow: true})
	decoder := f.Decode(a)
	for i, part := range parts {
		rec := record.Record{Key: f.Native, Data: part, Line: i + 1}
		a.At(rec.Line, rec.Offset)
		if err := decoder.Record(rec); err != nil {
			return nil, nil, fmt.Errorf("read record %d of a turn of format %s: %w", i+1, name, err)
		}
	}
	decoder.End()
	a.End(true)
	return blocksOf(a), slices.Sorted(maps.Keys(a.Stats.Unsupported)), nil
}

func nativeRecords(native json.RawMessage) ([]json.RawMessage, error) {
	native = bytes.TrimSpace(native)
	if len(native) == 0 {
		return nil, fmt.Errorf("it is empty")
	}
	if native[0] != '[' {
		return []json.RawMessage{native}, nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(native, &parts); err != nil {
		return nil, fmt.Errorf("not an array of records: %w", err)
	}
	return parts, nil
}

// blocksOf returns the blocks of all turns in order, followed by the remaining user messages.
func blocksOf(a *Assembler) []sessionevents.Block {
	var own, others []sessionevents.Block
	for {
		e, ok := a.Take()
		if !ok {
			break
		}
		t, isTurn := e.Data.(*sessionevents.Turn)
		switch {
		case !isTurn:
		case t.Session == a.Main().ID():
			own = append(own, t.Blocks...)
		default:
			others = append(others, t.Blocks...)
		}
	}
	own = append(own, a.Unclaimed()...)
	if len(own) > 0 {
		return own
	}
	return others
}

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
