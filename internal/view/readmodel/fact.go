package readmodel

import (
	"database/sql"
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxFacts bounds what is kept of one interrupt: publishers can say anything,
// as often as they like.
const maxFacts = 64

// fact is something that was said about an interrupt (DP-21).
type fact struct {
	state               sessionevents.DeliveryState
	channel, by, reason string
}

// verdict reports a judgement; the other facts are about the way.
func (f fact) verdict() bool {
	switch f.state {
	case sessionevents.DeliveryAcked, sessionevents.DeliveryHeeded, sessionevents.DeliveryIgnored, sessionevents.DeliveryDismissed:
		return true
	}
	return false
}

// delivered keeps a fact from a harness, a hook or the dispatcher, which may
// name the turn instead of the interrupt.
func (b findings) delivered(d *sessionevents.InterruptDelivery) error {
	id := d.Interrupt
	if id == "" {
		err := b.scan("SELECT id FROM interrupts WHERE session = ? AND turn = ? ORDER BY sequence LIMIT 1", []any{d.Session, d.Turn}, &id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("find the interrupt of turn %d: %w", d.Turn, err)
		}
	}
	return b.settle(id, fact{state: d.State, channel: d.Channel, by: d.By})
}

// acted keeps a person's answer.
func (b findings) acted(ev events.Event, d *runevents.OperatorAct) error {
	switch d.Act {
	case runevents.ActAck:
		return b.settle(d.Target, fact{state: sessionevents.DeliveryAcked, by: d.By, reason: d.Why})
	case runevents.ActDismiss:
		return b.settle(d.Target, fact{state: sessionevents.DeliveryDismissed, by: d.By, reason: d.Why})
	case runevents.ActAllow:
		return b.allowed(d)
	case runevents.ActMute:
		return b.muted(ev, d)
	case runevents.ActUnmute:
		return b.unmuted(ev, d)
	}
	return nil
}

// told is what the model knows about an interrupt that a fact refers to.
type told struct {
	id, session, day, detector, heed string
	dismissed                        bool
}

// outcome returns what finally counts: a false positive first, then whether it was
// followed.
func (t told) outcome() string {
	if t.dismissed {
		return string(sessionevents.DeliveryDismissed)
	}
	return t.heed
}

// settle keeps a fact once. In the counts by day an interrupt has one outcome;
// in the totals each state counts once per interrupt and nothing is taken back.
func (b findings) settle(id string, f fact) error {
	t := told{id: id}
	err := b.scan("SELECT session, day, detector, heed, dismissed FROM interrupts WHERE id = ?", []any{id}, &t.session, &t.day, &t.detector, &t.heed, &t.dismissed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // of a session that left, or nobody's
	}
	if err != nil {
		return fmt.Errorf("read interrupt %s: %w", id, err)
	}
	kept, first, err := b.keepFact(id, f)
	if err != nil || !kept {
		return err
	}
	s, err := b.known(t.session)
	if err != nil || s == nil {
		return err
	}
	b.grow(s, rowSize(f.by, f.reason, f.channel))
	if first {
		b.totals[[2]string{t.detector, string(f.state)}]++
	}
	if f.verdict() && f.state != sessionevents.DeliveryAcked {
		return b.judge(s, t, f.state)
	}
	if first {
		b.count(t.day, kindDetector, t.detector, string(f.state), 1)
	}
	return nil
}

// keepFact writes a fact that was not said before; first is true for the first
// with its state.
func (b findings) keepFact(id string, f fact) (kept, first bool, err error) {
	table := "deliveries"
	if f.verdict() {
		table = "verdicts"
	}
	var number, same, sameState int
	err = b.scan("SELECT count(*), coalesce(sum(state = ?1), 0), coalesce(sum(state = ?1 AND channel = ?2 AND author = ?3), 0) FROM "+table+" WHERE interrupt = ?4", []any{string(f.state), short(f.channel), short(f.by), id}, &number, &sameState, &same)
	if err != nil {
		return false, false, fmt.Errorf("read what was said of interrupt %s: %w", id, err)
	}
	if same > 0 || number >= maxFacts {
		return false, false, nil
	}
	args := []any{id, number + 1, b.now, string(f.state), short(f.channel), short(f.by)}
	query := "INSERT INTO deliveries VALUES (?,?,?,?,?,?)"
	if f.verdict() {
		query, args = "INSERT INTO verdicts VALUES (?,?,?,?,?,?,?)", append(args, short(f.reason))
	}
	if err := b.run(query, args...); err != nil {
		return false, false, fmt.Errorf("write what was said of interrupt %s: %w", id, err)
	}
	return true, sameState == 0, nil
}

// judge moves an interrupt to its new outcome.
func (b findings) judge(s *session, t told, state sessionevents.DeliveryState) error {
	before := t.outcome()
	if before == "" && state != sessionevents.DeliveryDismissed {
		told, err := b.exists("SELECT 1 FROM deliveries WHERE interrupt = ?1 AND state IN ('emitted', 'delivered') UNION ALL SELECT 1 FROM verdicts WHERE interrupt = ?1 AND state = 'acked'", t.id)
		if err != nil {
			return err
		}
		if !told {
			b.count(t.day, kindDetector, t.detector, "judged_untold", 1)
		}
	}
	if state == sessionevents.DeliveryDismissed {
		t.dismissed = true
	} else {
		t.heed = string(state)
	}
	after := t.outcome()
	if before != after {
		b.outcome(s, t, before, -1)
		b.outcome(s, t, after, 1)
	}
	if err := b.run("UPDATE interrupts SET heed = ?, dismissed = ? WHERE id = ?", t.heed, t.dismissed, t.id); err != nil {
		return fmt.Errorf("write the verdict on interrupt %s: %w", t.id, err)
	}
	return nil
}

func (b findings) outcome(s *session, t told, outcome string, n int) {
	switch sessionevents.DeliveryState(outcome) {
	case sessionevents.DeliveryHeeded:
		s.heeded += n
	case sessionevents.DeliveryIgnored:
		s.ignored += n
	case sessionevents.DeliveryDismissed:
		s.dismissed += n
	default:
		return
	}
	b.count(t.day, kindDetector, t.detector, outcome, n)
}

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
