package budget

import (
	"encoding/json"
	"fmt"
	"time"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Acts of a person that the dispatcher takes; ack and the others are forwarded.
const (
	ActAck     = "ack" // is only told
	ActDismiss = "dismiss"
	ActMute    = "mute"
	ActUnmute  = "unmute" // takes mutes of the same scope, detector and subject back
)

// MuteDetails is the details object of operator.act mute. Turns counts from the
// session's current turn; Until is an RFC 3339 time; without either the mute
// holds until the session's state is gone.
type MuteDetails struct {
	Scope    Scope      `json:"scope"`
	Detector string     `json:"detector,omitempty"`
	Subject  string     `json:"subject,omitempty"`
	Turns    int        `json:"turns,omitempty"`
	Until    *time.Time `json:"until,omitempty"`
}

// ParseMute reads and checks the details of a mute, for the edges to refuse a
// bad one before it is published.
func ParseMute(act *runevents.OperatorAct) (MuteDetails, error) {
	var d MuteDetails
	if err := json.Unmarshal(act.Details, &d); err != nil {
		return d, fmt.Errorf("read mute details: %w", err)
	}
	if d.Turns < 0 {
		return d, fmt.Errorf("mute for %d turns: use 1 or more", d.Turns)
	}
	if err := d.mute(act, 0).check(); err != nil {
		return d, err
	}
	return d, nil
}

// MuteOf is the mute that an act puts in force in a session at turn.
func MuteOf(act *runevents.OperatorAct, turn int) (Mute, error) {
	d, err := ParseMute(act)
	return d.mute(act, turn), err
}

func (d MuteDetails) mute(act *runevents.OperatorAct, turn int) Mute {
	m := Mute{Scope: d.Scope, Detector: d.Detector, Subject: d.Subject, Reason: act.Why, By: act.By}
	if d.Turns > 0 {
		m.UntilTurn = turn + d.Turns
	}
	if d.Until != nil {
		m.Until = d.Until.UTC()
	}
	return m
}

// takeAct takes what a person did to this session. A mute also silences what
// already waits, which its end does not bring back; an unreadable one changes nothing (it stands in DECISIONS as
// forwarded).
func takeAct(w *work, act *runevents.OperatorAct) {
	switch act.Act {
	case ActDismiss:
		if i := w.session.firedIndex(act.Target); i >= 0 {
			w.take(settled{id: act.Target, refund: true, dismissed: true})
		}
	case ActMute:
		mute, err := MuteOf(act, w.session.Turn)
		if err != nil {
			return
		}
		w.take(mutedFrom{mute: mute, keep: w.config.Kept.Mutes})
		w.silenceWaiting()
	case ActUnmute:
		if mute, err := MuteOf(act, w.session.Turn); err == nil {
			w.take(unmuted{mute: mute})
		}
	}
}

func (w *work) silenceWaiting() {
	dropSilenced(w)
}
