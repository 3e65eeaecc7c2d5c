package mailbox

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

const (
	maxMutes  = 64     // for one session or group, the dispatcher's default
	maxGroups = 10_000 // groups with mutes for future sessions
)

// muted puts a person's mute in force, or ends it, as the dispatcher does (DP-25): in a session, or in all
// current and future sessions of a group. An act that cannot be decoded changes nothing.
func (m *Mailbox) muted(group string, act *runevents.OperatorAct, at uint64) {
	if act.Session != "" {
		if b := m.target(act.Session, group, at); b != nil {
			b.mutes = withMute(b.mutes, act, b.turn)
		}
		return
	}
	if !m.partly && (len(m.mutes) < maxGroups || m.mutes[group] != nil) || m.partly && m.isNew(m.at(group), at) {
		m.mutes[group] = withMute(m.mutes[group], act, 0)
	}
	for e := m.recent.Front(); e != nil; e = e.Next() {
		if b := e.Value.(*box); b.group == group && m.isNew(b, at) {
			b.mutes, b.through = withMute(b.mutes, act, b.turn), at
		}
	}
}

func withMute(have []budget.Mute, act *runevents.OperatorAct, turn int) []budget.Mute {
	mute, err := budget.MuteOf(act, turn)
	switch {
	case err != nil:
		return have
	case act.Act == runevents.ActUnmute:
		return mute.Without(have)
	}
	have = append(slices.Clone(have), mute)
	return text.Newest(have, maxMutes)
}

// Mutes returns the mutes that people put in force for a session, and the number of its current turn.
// Before the session's first turn, those of its group apply: of its run ("" for none), or of the session
// that it is a subagent of.
func (m *Mailbox) Mutes(session, parent, run string) (mutes []budget.Mute, turn int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b := m.known(session); b != nil && (b.opened || !m.partly) {
		return b.mutes, b.turn + 1
	}
	for _, group := range []string{run, parent, session} {
		if group != "" {
			return m.mutes[group], 1
		}
	}
	return nil, 1
}
