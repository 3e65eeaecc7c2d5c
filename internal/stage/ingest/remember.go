package ingest

import (
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// A log that is published twice, days apart and interleaved in any way, must have no
// effect the second time (SW-1a). So ingest remembers every event of a group for as long
// as the group exists: 8 bytes for an event or a turn, which is compared by content
// too. The broker's own duplicate window covers only two minutes.
const (
	eventMemory   = 8
	sessionMemory = 256

	// maxRemembered bounds the memory of a group, so that its state fits into a message:
	// 524,288 turns or other events. Beyond it, ingest refuses events that it
	// could not recognize later, rather than guess.
	maxRemembered = 4 << 20
)

// repeated reports whether an event other than a turn was received before from the same
// credential: knowing or guessing another sender's id does not make that id unusable.
func (s *State) repeated(in step.Input) bool {
	return s.Events.has(eventHash(in)) || s.Earlier.has(namedHash(in.Event))
}

// contested reports whether another credential has sent an event of the same source
// and id to this group.
func (s *State) contested(in step.Input) bool {
	hash := eventHash(in)
	return s.Events.between(hash&^speakerBits, hash|speakerBits)
}

// apart returns the source under which a contested event is forwarded. Events derived
// from it then get ids of their own (EV-2), so that later stages cannot confuse the two.
// The event keeps its own id, since the sender waits for the decisions about it.
func apart(source string, in step.Input) string {
	by, mark := string(in.Event.Credential), "#"
	if by == "" {
		by = string(in.Event.Type)
	}
	if strings.Contains(source, mark) {
		mark = "."
	}
	return source + mark + url.QueryEscape(strings.TrimRight(by+"."+in.Account, "."))
}

// remember records an event other than a turn. It fails if the group is full; events from
// persons, infrastructure and timers are always accepted.
func (s *State) remember(in step.Input) error {
	if err := s.room(in.Event, eventMemory); err != nil {
		return err
	}
	s.Events.add(eventHash(in))
	s.remembered += eventMemory
	return nil
}

// room fails if recording more bytes from a publisher would exceed the group's bound.
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

// count sets the number of bytes that a decoded state remembers.
func (s *State) count() {
	s.remembered = eventMemory * (s.Events.len() + s.Earlier.len())
	for _, session := range s.Sessions {
		s.remembered += sessionMemory + eventMemory*(session.Seen.len()+session.TurnIDs.len()+session.Turned.len())
	}
}

// seen reports whether the turn id is known, and whether it is known with the same
// content.
func (s *Session) seen(id, content uint64) (same, known bool) {
	turn := turnHash(id, content)
	same = s.Seen.has(turn) || s.Turned.has(both(id, content))
	return same, same || s.Seen.between(turn&^contentBits, turn|contentBits) || s.TurnIDs.has(id)
}

// remember records a turn and returns the number of bytes used.
func (s *Session) remember(id, content uint64) (bytes int) {
	if same, _ := s.seen(id, content); same {
		return 0
	}
	s.Seen.add(turnHash(id, content))
	return eventMemory
}

// contentBits is the part of a turn's hash that distinguishes contents of one id. Of a million turns that come again
// with other content, it takes 0.06 for repetitions; among 5,000 turns of a session, the probability that one is
// taken for a fork of another is 1e-5, and that it is lost as a repetition 1e-12.
const contentBits = 1<<24 - 1

// turnHash returns one hash of a turn's id and content.
func turnHash(id, content uint64) uint64 { return id&^contentBits | content&contentBits }

// namedHash identifies an event as CloudEvents does, by source and id.
func namedHash(ev events.Event) uint64 { return xxhash.Sum64String(ev.Source + "\x00" + ev.ID) }

// speakerBits is the part of an event's hash that identifies its sender. A sender cannot
// choose its role or its account, and has few kinds of subjects, so it cannot search for
// a sender with the same bits.
const speakerBits = 1<<16 - 1

// eventHash identifies an event by source, id and the sender as authenticated by the
// broker: the role, the account of an intake and, for an event that is not about a run,
// the kind of its subject, which permissions apply to.
func eventHash(in step.Input) uint64 {
	class := ""
	if d, ok := events.Lookup(in.Event.Type); ok && !d.RunEvent {
		class = d.SubjectClass
	}
	speaker := xxhash.Sum64String(string(in.Event.Credential) + "\x00" + in.Account + "\x00" + class)
	return namedHash(in.Event)&^speakerBits | speaker&speakerBits
}

// both returns the hash of a turn that versions before 4 stored.
func both(id, content uint64) uint64 {
	var words [16]byte
	binary.LittleEndian.PutUint64(words[:8], id)
	binary.LittleEndian.PutUint64(words[8:], content)
	return xxhash.Sum64(words[:])
}
