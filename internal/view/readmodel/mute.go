package readmodel

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// maxMutes is how many mutes are kept; the oldest leave.
const maxMutes = 10_000

// muted keeps a mute as the dispatcher takes it; one that it cannot read changes
// nothing there, nor here (DP-25).
func (b findings) muted(ev events.Event, act *runevents.OperatorAct) error {
	details, err := runevents.ParseMute(act)
	if err != nil {
		return nil //nolint:nilerr // what was forwarded may be anything
	}
	turn := 0
	if act.Session != "" {
		s, err := b.session(ev, act.Session)
		if err != nil {
			return err
		}
		turn = s.lastTurn
	}
	var until int64
	if details.Until != nil {
		until = micros(*details.Until)
	}
	err = b.run("INSERT INTO mutes VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", b.position.Sequence, b.now, act.Session, ev.Group(), string(details.Scope),
		short(details.Detector), short(details.Subject), short(act.By), short(act.Why), turn, details.Turns, until)
	if err != nil {
		return fmt.Errorf("write a mute: %w", err)
	}
	return b.run("DELETE FROM mutes WHERE sequence <= (SELECT sequence FROM mutes ORDER BY sequence DESC LIMIT 1 OFFSET ?)", maxMutes)
}

// unmuted ends the mutes that an act withdraws: of a session, or of a group with
// all its sessions.
func (b findings) unmuted(ev events.Event, act *runevents.OperatorAct) error {
	details, err := runevents.ParseMute(act)
	if err != nil {
		return nil //nolint:nilerr // what was forwarded may be anything
	}
	err = b.run(`UPDATE mutes SET until = ?1 WHERE (until = 0 OR until > ?1) AND scope = ?2 AND detector = ?3 AND subject = ?4
 AND CASE ?5 WHEN '' THEN grp = ?6 ELSE session = ?5 END`,
		micros(ev.Time), string(details.Scope), short(details.Detector), short(details.Subject), act.Session, ev.Group())
	if err != nil {
		return fmt.Errorf("end a mute: %w", err)
	}
	return nil
}
