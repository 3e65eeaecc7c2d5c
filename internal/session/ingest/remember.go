package ingest

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// A log that is published twice, days apart and in any interleaving, changes
// nothing the second time (SW-1a). So ingest remembers every event of a group
// for as long as the group exists: 8 bytes for an event, 16 for a turn, whose
// content counts too. The broker's own duplicate window covers two minutes only.
const (
	eventMemory   = 8
	turnMemory    = 2 * eventMemory
	sessionMemory = 256

	// maxRemembered bounds what a group remembers, so that its state fits into a
	// message: 262,144 turns or 524,288 other events. At the bound, ingest refuses
	// what it could not recognise later instead of guessing.
	maxRemembered = 4 << 20
)

// repeated reports whether an event that is not a turn came before.
func (s *State) repeated(ev events.Event) bool { return s.Events.has(eventHash(ev)) }

// remember notes an event that is not a turn. It fails when the group is full;
// events of persons, of the infrastructure and of timers are always accepted.
func (s *State) remember(ev events.Event) error {
	if err := s.room(ev, eventMemory); err != nil {
		return err
	}
	s.Events.add(eventHash(ev))
	s.remembered += eventMemory
	return nil
}

// room fails when so many bytes more of a publisher's are over the group's bound.
func (s *State) room(ev events.Event, more int) error {
	if s.remembered+more <= s.most() || ev.Credential != events.RolePublisher && ev.Credential != "" || ev.Type == events.TypeTimerExpired {
		return nil
	}
	return fmt.Errorf("group %s is full: ingest remembers %d bytes of ids to recognise repeated events, and %s is new; continue in another session or run",
		ev.Group(), s.most(), ev.ID)
}

func (s *State) most() int {
	if s.limit > 0 {
		return s.limit
	}
	return maxRemembered
}

// count sets how many bytes a decoded state remembers.
func (s *State) count() {
	s.remembered = eventMemory * s.Events.len()
	for _, session := range s.Sessions {
		s.remembered += sessionMemory + eventMemory*(session.TurnIDs.len()+session.Turned.len())
	}
}

// seen reports whether the turn id is known, and whether with this very content.
func (s *Session) seen(id, content uint64) (same, known bool) {
	return s.Turned.has(both(id, content)), s.TurnIDs.has(id)
}

// remember notes a turn and returns how many bytes that takes.
func (s *Session) remember(id, content uint64) (bytes int) {
	if !s.TurnIDs.has(id) {
		s.TurnIDs.add(id)
		bytes += eventMemory
	}
	if hash := both(id, content); !s.Turned.has(hash) {
		s.Turned.add(hash)
		bytes += eventMemory
	}
	return bytes
}

// eventHash identifies an event as CloudEvents does, by source and id.
func eventHash(ev events.Event) uint64 { return xxhash.Sum64String(ev.Source + "\x00" + ev.ID) }

// both is one hash of a turn's id and content.
func both(id, content uint64) uint64 {
	var words [16]byte
	binary.LittleEndian.PutUint64(words[:8], id)
	binary.LittleEndian.PutUint64(words[8:], content)
	return xxhash.Sum64(words[:])
}
