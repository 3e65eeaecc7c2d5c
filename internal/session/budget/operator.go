package budget

import (
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// MuteOf returns the mute that an act puts into effect in a session at turn.
func MuteOf(act *runevents.OperatorAct, turn int) (Mute, error) {
	d, err := runevents.ParseMute(act)
	m := Mute{Scope: d.Scope, Detector: d.Detector, Subject: d.Subject, Reason: act.Why, By: act.By}
	if d.Turns > 0 {
		m.UntilTurn = turn + d.Turns
	}
	if d.Until != nil {
		m.Until = d.Until.UTC()
	}
	return m, err
}

// takeAct applies a person's act to this session. A mute also silences signals that are
// already waiting, and its end does not restore them; an unreadable act has no effect
// (DECISIONS holds the forwarded event).
func takeAct(w *work, act *runevents.OperatorAct) {
	switch act.Act {
	case runevents.ActDismiss:
		if i := w.session.firedIndex(act.Target); i >= 0 {
			w.take(settled{id: act.Target, refund: true, dismissed: true})
		}
	case runevents.ActMute:
		mute, err := MuteOf(act, w.session.Turn)
		if err != nil {
			return
		}
		w.take(mutedFrom{mute: mute, keep: w.config.Kept.Mutes})
		w.silenceWaiting()
	case runevents.ActUnmute:
		if mute, err := MuteOf(act, w.session.Turn); err == nil {
			w.take(unmuted{mute: mute})
		}
	}
}

func (w *work) silenceWaiting() {
	dropSilenced(w)
}
