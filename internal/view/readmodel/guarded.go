package readmodel

import (
	"context"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxPrevented is how many answers of the guard are kept as rows; the oldest leave.
const maxPrevented = 500

// guarded keeps what the guard answered before a tool ran, and counts it by what the call would have
// done first, else by the kind of the answer (GD-21).
func (b findings) guarded(ev events.Event, d *sessionevents.GuardDecided) error {
	if prevented.Test(d) {
		return nil // nobody's work was in danger
	}
	s, err := b.session(ev, d.Session)
	if err != nil {
		return err
	}
	if s.workspace == "" {
		b.called(s, d.Workspace, "")
	}
	act := string(d.Class)
	if len(d.Acts) > 0 {
		act = d.Acts[0].Act
	}
	name, err := b.name(kindPrevented, act)
	if err != nil {
		return err
	}
	b.count(b.dayNow(), kindPrevented, name, string(d.Happened()), 1)
	call := prevented.Of(ev, d)
	err = b.run("INSERT INTO prevented VALUES (?,?,?,?,?,?,?,?,?,'')", b.position.Sequence, d.Session, d.Turn, b.now,
		string(call.Outcome), short(call.Command), short(call.What()), short(d.RescueRef), short(d.Word))
	if err != nil {
		return fmt.Errorf("write what the guard answered in %s: %w", d.Session, err)
	}
	return b.run(
		"DELETE FROM prevented WHERE sequence <= (SELECT sequence FROM prevented ORDER BY sequence DESC LIMIT 1 OFFSET ?)",
		maxPrevented,
	)
}

// allowed keeps who let a denied call run: of a session, or of one of its subagents.
func (b findings) allowed(d *runevents.OperatorAct) error {
	if d.Target == "" {
		return nil
	}
	return b.run(`UPDATE prevented SET allowed_by = ? WHERE outcome = ? AND word = ?
 AND (session = ?4 OR substr(session, 1, length(?5)) = ?5)`, short(d.By), string(sessionevents.GuardDenied), d.Target, d.Session, naming.Children(d.Session))
}

// Prevented is one answer of the guard before a tool ran.
type Prevented struct {
	Session       string
	Turn          int // 0 where nobody counts
	At            time.Time
	Outcome       sessionevents.GuardOutcome
	Command, What string
	RescueRef     string // of the snapshot that was taken first
	// Word is what lets a denied call run once, AllowedBy the person who did; "" for nobody.
	Word, AllowedBy string
}

// Prevented returns the latest answers of the guard that stopped, kept or warned of something, newest
// first.
func (q interruptQueries) Prevented(ctx context.Context, limit int) ([]Prevented, error) {
	var list []Prevented
	err := each(ctx, q.reader, "list what was prevented", func(scan func(...any) error) error {
		var p Prevented
		var at int64
		err := scan(&p.Session, &p.Turn, &at, &p.Outcome, &p.Command, &p.What, &p.RescueRef, &p.Word, &p.AllowedBy)
		p.At = instant(at)
		list = append(list, p)
		return err
	}, `SELECT session, turn, time, outcome, command, what, rescue, word, allowed_by FROM prevented
 WHERE outcome <> ? ORDER BY sequence DESC LIMIT ?`,
		string(sessionevents.GuardAllowed),
		limit)
	return list, err
}
