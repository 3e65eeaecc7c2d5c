package ingest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turn numbers, redacts and segments one turn.
func (m *Machine) turn(state *State, in step.Input, turn *sessionevents.Turn, out *step.Emitter) error {
	session := state.session(turn.Session)
	content := contentHash(in.Event)
	id := xxhash.Sum64String(turn.TurnID)
	earlier, known := session.seen(id, content)
	if known && earlier && in.Event.Extensions[events.RetryExtension] == "" {
		session.Duplicates++ // SW-1a: a repeated turn has no effect
		return nil
	}
	if err := state.room(in.Event, eventMemory); err != nil {
		return err
	}
	cut, clean, err := m.cut(state, session, turn)
	if err != nil {
		return err
	}
	cut.Continuity = session.continuity(in.Event.Time, clean, known && !earlier)
	cut.Extra = m.extra(state, in.Event)
	state.remembered += session.remember(id, content)
	session.advance(in)
	out.Emit(sessionevents.TypeTurnSegmented, turn.Session, cut)
	m.watchIdle(session, turn, in, out)
	return nil
}

// cut redacts the turn before anything else reads it (SW-7), and returns its segments and
// the redacted turn.
func (m *Machine) cut(state *State, session *Session, turn *sessionevents.Turn) (*sessionevents.TurnSegmented, *sessionevents.Turn, error) {
	if len(turn.Native) > 0 {
		blocks, unsupported, err := m.options.NativeBlocks(turn.Format, turn.Native)
		if err != nil {
			return nil, nil, fmt.Errorf("read native %s turn: %w", turn.Format, err)
		}
		whole := *turn
		whole.Blocks, whole.Native = blocks, nil
		whole.Unsupported = append(slices.Clone(turn.Unsupported), unsupported...)
		turn = &whole
	}
	clean, secrets := state.cleaner(m).Turn(*turn)
	cut := m.options.Cutter.Cut(&clean, session.Turns+1, session.Workspace, secrets)
	cut.Bytes = turnBytes(turn)
	return cut, &clean, nil
}

// extra returns the fields of turn.raw that this version does not know (EV-3).
func (m *Machine) extra(state *State, ev events.Event) map[string]json.RawMessage {
	unknown := ev.UnknownFields()
	if len(unknown) == 0 {
		return nil
	}
	whole, err := json.Marshal(unknown)
	if err != nil {
		return nil
	}
	clean, _ := state.cleaner(m).JSON(whole)
	var kept map[string]json.RawMessage
	if json.Unmarshal(clean, &kept) != nil {
		return nil
	}
	return kept
}

// contentHash distinguishes a repeated turn from a fork with the same id (SW-1a).
func contentHash(ev events.Event) uint64 {
	if ev.Raw != nil {
		return xxhash.Sum64(ev.Raw)
	}
	data, err := json.Marshal(ev.Data)
	if err != nil {
		return 0 // cannot happen: the type is ours and was decoded from JSON
	}
	return xxhash.Sum64(data)
}

// turnBytes returns the size of a turn's text: what the agent said, sent and received.
func turnBytes(t *sessionevents.Turn) int {
	n := len(t.Text)
	for _, b := range t.Blocks {
		n += len(b.Text) + len(b.Input) + len(b.Output)
	}
	return n
}
