package readmodel

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Interrupt is one interrupt with its outcome.
type Interrupt struct {
	ID        string
	At        time.Time
	Session   string
	Group     string
	Turn      int
	Detector  string
	Label     string // of its urgency
	Message   string
	Charged   bool   // it took a unit of the budget
	Heed      string // heeded, ignored, "" not judged
	Dismissed bool
	Facts     []Fact // in order
}

// Fact is something that was said about an interrupt (DP-21).
type Fact struct{ State, Channel, By, Why string }

// interruptQueries are what a model is asked about interrupts, mutes and what the guard prevented.
type interruptQueries struct{ reader *sql.DB }

// FindInterrupts returns the interrupts whose id begins with prefix, by id, at most
// limit of them.
func (q interruptQueries) FindInterrupts(ctx context.Context, prefix string, limit int) ([]Interrupt, error) {
	return q.interrupts(ctx, "WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT ?2", prefix, limit)
}

// UnansweredInterrupts returns the interrupts that no person has answered, latest first: of the named
// session, or of all that are open or were interrupted since a time. An agent's harness that
// acknowledges names its channel; a person has none.
func (q interruptQueries) UnansweredInterrupts(ctx context.Context, session string, since time.Time, limit int) ([]Interrupt, error) {
	return q.interrupts(ctx, `WHERE dismissed = 0
 AND NOT EXISTS (SELECT 1 FROM verdicts v WHERE v.interrupt = interrupts.id AND v.state = 'acked' AND v.channel = '')
 AND (session = ?1 OR ?1 = '' AND (time >= ?2 OR session IN (SELECT id FROM sessions WHERE closed = 0)))
 ORDER BY sequence DESC LIMIT ?3`, session, micros(since), limit)
}

// SubjectOf returns what the first signal of an interrupt is about, "" where the model does not know.
func (q interruptQueries) SubjectOf(ctx context.Context, i Interrupt) (subject string, err error) {
	err = q.reader.QueryRowContext(ctx, `SELECT subject FROM signals WHERE session = ?1 AND detector = ?2 AND ending = 'fired' AND end_turn = ?3
 ORDER BY sequence LIMIT 1`, i.Session, i.Detector, i.Turn).Scan(&subject)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("find what interrupt %s is about: %w", i.ID, err)
	}
	return subject, nil
}

func (q interruptQueries) interrupts(ctx context.Context, which string, args ...any) ([]Interrupt, error) {
	var found []Interrupt
	err := each(ctx, q.reader, "find interrupts", func(scan func(...any) error) error {
		var i Interrupt
		var at int64
		err := scan(&i.ID, &at, &i.Session, &i.Group, &i.Turn, &i.Detector, &i.Label, &i.Message, &i.Charged, &i.Heed, &i.Dismissed)
		i.At = instant(at)
		found = append(found, i)
		return err
	}, `SELECT id, time, session, grp, turn, detector, label, message, budget_after < budget_before, heed, dismissed
 FROM interrupts `+which, args...)
	if err != nil {
		return nil, err
	}
	for i := range found {
		if found[i].Facts, err = q.facts(ctx, found[i].ID); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (q interruptQueries) facts(ctx context.Context, id string) ([]Fact, error) {
	var facts []Fact
	err := each(ctx, q.reader, "read what was said of interrupt "+id, func(scan func(...any) error) error {
		var f Fact
		err := scan(&f.State, &f.Channel, &f.By, &f.Why)
		facts = append(facts, f)
		return err
	}, `SELECT state, channel, author, why FROM (
 SELECT time, 0 AS part, number, state, channel, author, '' AS why FROM deliveries WHERE interrupt = ?1
 UNION ALL SELECT time, 1, number, state, channel, author, why FROM verdicts WHERE interrupt = ?1) ORDER BY time, part, number`, id)
	return facts, err
}

// Total is how many interrupts of a detector came to an outcome, since the
// beginning: fired, or a state of DP-21.
type Total struct {
	Detector, Outcome string
	Count             int64
}

// Totals returns all totals, by detector and outcome; they never decrease.
func (q interruptQueries) Totals(ctx context.Context) ([]Total, error) {
	var totals []Total
	err := each(ctx, q.reader, "read the totals", func(scan func(...any) error) error {
		var t Total
		err := scan(&t.Detector, &t.Outcome, &t.Count)
		totals = append(totals, t)
		return err
	}, "SELECT detector, outcome, count FROM totals ORDER BY detector, outcome")
	return totals, err
}

// Mute is a mute that a person set (DP-25).
type Mute struct {
	Set      time.Time           `json:"set,omitzero"`
	Session  string              `json:"session,omitempty"` // "" every session of the group
	Group    string              `json:"group,omitempty"`
	Scope    runevents.MuteScope `json:"scope"`
	Detector string              `json:"detector,omitempty"`
	Subject  string              `json:"subject,omitempty"`
	By       string              `json:"by"`
	Why      string              `json:"why"`
	FromTurn int                 `json:"from_turn,omitempty"`
	Turns    int                 `json:"turns,omitempty"` // 0: not limited by turns
	Until    time.Time           `json:"until,omitzero"`  // zero: not limited by time
	// Workspace limits a mute of the rules file to a folder, "" for everywhere.
	Workspace string `json:"workspace,omitempty"`
	// LastTurn is the last turn of its session, or of the session of its group
	// that got furthest.
	LastTurn int `json:"-"`
}

// Over reports whether a mute has run out.
func (m Mute) Over(now time.Time) bool {
	return m.Turns > 0 && m.LastTurn >= m.FromTurn+m.Turns || !m.Until.IsZero() && !now.Before(m.Until)
}

// Mutes returns the mutes that were set, oldest first.
func (q interruptQueries) Mutes(ctx context.Context) ([]Mute, error) {
	list := []Mute{}
	err := each(ctx, q.reader, "list the mutes", func(scan func(...any) error) error {
		var mute Mute
		var set, until int64
		err := scan(&set, &mute.Session, &mute.Group, &mute.Scope, &mute.Detector, &mute.Subject, &mute.By, &mute.Why, &mute.FromTurn, &mute.Turns, &until, &mute.LastTurn)
		mute.Set, mute.Until = instant(set), instant(until)
		list = append(list, mute)
		return err
	}, `SELECT m.time, m.session, m.grp, m.scope, m.detector, m.subject, m.author, m.why, m.from_turn, m.turns, m.until,
 coalesce((SELECT max(last_turn) FROM sessions s WHERE s.id = m.session OR m.session = '' AND s.grp = m.grp), 0)
 FROM mutes m ORDER BY m.sequence`)
	return list, err
}

// Covered counts the signals that a mute would cover.
type Covered struct{ All, Waiting int }

// Covered counts the signals of a detector ("" any) about a subject ("" any) in
// the sessions named, and those of them that still wait.
func (q interruptQueries) Covered(ctx context.Context, sessions []string, detector, subject string) (c Covered, err error) {
	for _, session := range sessions {
		var all, waiting int
		err := q.reader.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(ending IN ('pending', 'queued')), 0) FROM signals
 WHERE session = ?1 AND (?2 = '' OR detector = ?2) AND (?3 = '' OR subject = ?3)`, session, detector, subject).Scan(&all, &waiting)
		if err != nil {
			return c, fmt.Errorf("count the signals of %s: %w", session, err)
		}
		c.All, c.Waiting = c.All+all, c.Waiting+waiting
	}
	return c, nil
}
