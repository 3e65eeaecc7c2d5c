package mailbox

import (
	"container/list"
	"iter"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
)

// boxes is the index of what is known of each session, the most recently used first.
type boxes struct {
	byID   map[string]*list.Element // of *box
	recent *list.List
	mutes  map[string][]budget.Mute // of groups, for their future sessions

	// partly means that only what is decided from now on comes by itself; what was before is read for the
	// sessions that are opened.
	partly  bool
	dropped int // interrupts that were never emitted for lack of room
}

// clear forgets all sessions and groups.
func (x *boxes) clear() {
	x.byID, x.recent, x.mutes = map[string]*list.Element{}, list.New(), map[string][]budget.Mute{}
}

// at returns a session's box, nil if there is none.
func (x *boxes) at(session string) *box {
	if e := x.byID[session]; e != nil {
		return e.Value.(*box)
	}
	return nil
}

// known returns the box of a session of which anything is known.
func (x *boxes) known(session string) *box {
	b := x.at(session)
	if b == nil || b.blank {
		return nil
	}
	x.recent.MoveToFront(x.byID[session])
	return b
}

// runOf returns the run that one of some sessions is known to belong to.
func (x *boxes) runOf(sessions ...string) string {
	for _, id := range sessions {
		if b := x.known(id); b != nil && b.run != "" {
			return b.run
		}
	}
	return ""
}

// opened reports whether what is recorded of some ids is folded in; "" counts as such.
func (x *boxes) opened(ids ...string) bool {
	for _, id := range ids {
		if b := x.at(id); x.partly && id != "" && (b == nil || !b.opened) {
			return false
		}
	}
	return true
}

// isNew reports whether an event at a sequence is to be folded into a box.
func (x *boxes) isNew(b *box, at uint64) bool {
	return !x.partly || b != nil && b.opened && at > b.through
}

// existing returns the box of a session into which an event at a sequence is to be folded, nil for none.
func (x *boxes) existing(session string, at uint64) *box {
	b := x.known(session)
	if b == nil || !x.isNew(b, at) {
		return nil
	}
	b.through = at
	return b
}

// target is [boxes.existing] for an event that begins a box. Where only what is opened is read, it returns
// nil for any other session: the event is read once that is opened.
func (x *boxes) target(session, group string, at uint64) *box {
	if !x.partly {
		return x.box(session, group)
	}
	b := x.at(session)
	if b == nil || !x.isNew(b, at) {
		return nil
	}
	if b.blank && !x.opened(group) {
		x.remove(b) // to be opened again, with the mutes of its group
		return nil
	}
	b = x.box(session, group)
	b.through = at
	return b
}

// box returns the session's box, if necessary a new one with the mutes of its group; the least recently
// used one is dropped.
func (x *boxes) box(session, group string) *box {
	b := x.at(session)
	if b == nil {
		b = &box{id: session, blank: true}
		x.put(b)
	}
	x.recent.MoveToFront(x.byID[session])
	if b.blank {
		b.group, b.mutes, b.blank = group, x.mutes[group], false
	}
	return b
}

// own returns the box of a session in which something happened here. Of what it belongs to only what is
// already known counts.
func (x *boxes) own(session string) *box {
	if b := x.known(session); b != nil {
		return b
	}
	return x.box(session, session)
}

// ofGroup iterates over the sessions of a group; they may be removed meanwhile.
func (x *boxes) ofGroup(group string) iter.Seq[*box] {
	return func(yield func(*box) bool) {
		for e := x.recent.Front(); e != nil; {
			next := e.Next()
			if b := e.Value.(*box); b.group == group && !yield(b) {
				return
			}
			e = next
		}
	}
}

// put adds a box, in place of the one that is there.
func (x *boxes) put(b *box) {
	if at := x.byID[b.id]; at != nil {
		x.recent.Remove(at)
	}
	x.byID[b.id] = x.recent.PushFront(b)
	if x.recent.Len() > maxSessions {
		oldest := x.recent.Back().Value.(*box)
		if !x.partly { // otherwise it is read again when it is opened
			x.dropped += len(oldest.waiting)
		}
		x.remove(oldest)
	}
}

// remove forgets a session of the index.
func (x *boxes) remove(b *box) {
	at := x.byID[b.id]
	delete(x.byID, b.id)
	if x.partly {
		delete(x.mutes, b.id)
	}
	x.recent.Remove(at)
}
