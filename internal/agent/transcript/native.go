package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
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
