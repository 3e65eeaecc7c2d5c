package readmodel

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Session is one line of the list of sessions.
type Session struct {
	Session    string    `json:"session"`
	Agent      string    `json:"agent,omitempty"`
	Turns      int       `json:"turns"`
	Signals    int       `json:"signals"`
	Interrupts int       `json:"interrupts"`
	Heeded     int       `json:"heeded"`
	Ignored    int       `json:"ignored"`
	Dismissed  int       `json:"dismissed"`
	Closed     bool      `json:"closed"`
	Last       time.Time `json:"last_event"`
	// Workspace is the folder it works in, Task how it was asked; both may be unknown.
	Workspace string `json:"workspace,omitempty"`
	Task      string `json:"task,omitempty"`
	// Model is what its agent thinks with, Act what its latest turn that did something did.
	Model string `json:"-"`
	Act   string `json:"-"`
	// CostUSD is what its turns reported, Prevented how many answers of the guard are kept of it.
	CostUSD   float64 `json:"-"`
	Prevented int     `json:"-"`
	// Spent is how many of its interrupts cost a unit of the budget that it did not get back (DP-15).
	Spent int `json:"-"`
	// Group is the run or session by which its events are partitioned (EV-4).
	Group    string `json:"-"`
	LastTurn int    `json:"-"`
}

// sessionQueries are what a model is asked about sessions.
type sessionQueries struct{ reader *sql.DB }

// Sessions lists the sessions, the latest first; a limit of 0 lists all.
func (q sessionQueries) Sessions(ctx context.Context, limit int) ([]Session, error) {
	return q.SessionsPage(ctx, Page{Limit: limit})
}

// SessionsPage lists a page of the sessions, the latest first.
func (q sessionQueries) SessionsPage(ctx context.Context, p Page) ([]Session, error) {
	which, args := p.where(nil)
	return q.sessions(ctx, which, args...)
}

// SessionFilter selects sessions; the zero value selects all.
type SessionFilter struct {
	Text         string // part of the workspace, the task, the agent or the id, in any case
	Day          string // it began on, 2026-01-31
	Open, Closed bool   // only these
}

func (f SessionFilter) conditions() (list []string, args []any) {
	if f.Text != "" {
		list = append(
			list,
			"instr(lower(workspace || ' ' || task || ' ' || agent || ' ' || id || ' ' || run), lower(?)) > 0",
		)
		args = append(args, f.Text)
	}
	if f.Day != "" {
		list, args = append(list, "day = ?"), append(args, f.Day)
	}
	if f.Open {
		list = append(list, "closed = 0")
	}
	if f.Closed {
		list = append(list, "closed <> 0")
	}
	return list, args
}

// FindSessions lists a page of the sessions that a filter selects, the latest first, and counts them all.
func (q sessionQueries) FindSessions(ctx context.Context, f SessionFilter, p Page) (list []Session, total int, err error) {
	chosen, args := f.conditions()
	query := "SELECT count(*) FROM sessions"
	if len(chosen) > 0 {
		query += " WHERE " + strings.Join(chosen, " AND ")
	}
	if err := q.reader.QueryRowContext(ctx, query, args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count the sessions: %w", err)
	}
	which, args := p.where(args, chosen...)
	list, err = q.sessions(ctx, which, args...)
	return list, total, err
}

// Subagents lists the sessions of a session's subagents, by id.
func (q sessionQueries) Subagents(ctx context.Context, session string, limit int) ([]Session, error) {
	return q.sessions(
		ctx, "WHERE id > ?1 AND id < ?1 || '~' ORDER BY id LIMIT ?2", naming.Children(session), limit,
	) // no id has a ~
}

// OpenSessions lists the sessions that are not closed, by id.
func (q sessionQueries) OpenSessions(ctx context.Context) ([]Session, error) {
	return q.sessions(ctx, "WHERE closed = 0 ORDER BY id")
}

// GroupSessions lists the sessions of a run, by id.
func (q sessionQueries) GroupSessions(ctx context.Context, group string) ([]Session, error) {
	return q.sessions(ctx, "WHERE grp = ? ORDER BY id", group)
}

// Session returns one session; ok is false if it is not known.
func (q sessionQueries) Session(ctx context.Context, id string) (s Session, ok bool, err error) {
	list, err := q.sessions(ctx, "WHERE id = ?", id)
	if err != nil || len(list) == 0 {
		return s, false, err
	}
	return list[0], true, nil
}

// CountSessions returns how many sessions have rows.
func (q sessionQueries) CountSessions(ctx context.Context) (n int, err error) {
	if err = q.reader.QueryRowContext(ctx, "SELECT count(*) FROM sessions").Scan(&n); err != nil {
		return 0, fmt.Errorf("count the sessions: %w", err)
	}
	return n, nil
}

func (q sessionQueries) sessions(ctx context.Context, which string, args ...any) ([]Session, error) {
	list := []Session{}
	err := each(ctx, q.reader, "list the sessions", func(scan func(...any) error) error {
		var s Session
		var last, cost int64
		err := scan(
			&s.Session, &s.Group, &s.Agent, &s.Turns, &s.Signals, &s.Interrupts, &s.Heeded, &s.Ignored, &s.Dismissed,
			&s.Closed, &last, &s.LastTurn, &s.Workspace, &s.Task, &s.Model, &s.Act, &cost, &s.Prevented, &s.Spent,
		)
		s.Last, s.CostUSD = instant(last), float64(cost)/1e6
		list = append(list, s)
		return err
	}, `SELECT id, grp, agent, turns, signals, interrupts, heeded, ignored, dismissed, closed, last_event, last_turn, workspace, task, model, act, cost_micros,
 (SELECT count(*) FROM prevented p WHERE p.session = sessions.id),
 (SELECT count(*) FROM interrupts i WHERE i.session = sessions.id AND budget_after < budget_before AND dismissed = 0
  AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.interrupt = i.id AND d.state = 'unsupported')) FROM sessions `+which,
		args...)
	return list, err
}

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

// Page selects part of a list that is sorted latest first.
type Page struct {
	Limit int    // 0: all
	After Cursor // where the page before it ended
}

// Cursor is a position in a list: after the entry with that time and id. The zero
// value is the beginning.
type Cursor struct {
	Last time.Time
	ID   string
}

func (c Cursor) zero() bool { return c.ID == "" && c.Last.IsZero() }

// where and its arguments limit a list to a page. Conditions may be empty.
func (p Page) where(args []any, conditions ...string) (string, []any) {
	if !p.After.zero() {
		conditions = append(conditions, "(last_event < ? OR last_event = ? AND id > ?)")
		args = append(args, micros(p.After.Last), micros(p.After.Last), p.After.ID)
	}
	text := ""
	if len(conditions) > 0 {
		text = "WHERE " + strings.Join(conditions, " AND ") + " "
	}
	limit := p.Limit
	if limit <= 0 {
		limit = -1
	}
	return text + "ORDER BY last_event DESC, id LIMIT ?", append(args, limit)
}

// conditions are those of a filter, as [runlist.Filter.Match] takes it.
func conditions(f runlist.Filter) (list []string, args []any) {
	if f.State != "" {
		list, args = append(list, "stands = ?"), append(args, f.State)
	}
	if f.Project != "" {
		list, args = append(list, "project = ?"), append(args, short(f.Project))
	}
	if f.Waiting {
		list = append(list, "waits > 0")
	}
	if f.Refused {
		list = append(list, "json_array_length(listed, '$.run.refused') > 0 AND stands <> 'done'") // runs_refused
	}
	return list, args
}

// Runs lists runs, the latest first.
func (q fleetQueries) Runs(ctx context.Context, f runlist.Filter, p Page) ([]runlist.Run, error) {
	chosen, args := conditions(f)
	which, args := p.where(args, chosen...)
	list := []runlist.Run{}
	err := each(ctx, q.reader, "list the runs", func(scan func(...any) error) error {
		var text []byte
		var s runlist.State
		if err := scan(&text); err != nil {
			return err
		}
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		list = append(list, s.Run)
		return nil
	}, "SELECT listed FROM runs "+which, args...)
	return list, err
}

// CountRuns returns how many runs a filter selects.
func (q fleetQueries) CountRuns(ctx context.Context, f runlist.Filter) (n int, err error) {
	chosen, args := conditions(f)
	query := "SELECT count(*) FROM runs"
	if len(chosen) > 0 {
		query += " WHERE " + strings.Join(chosen, " AND ")
	}
	if err = q.reader.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the runs: %w", err)
	}
	return n, nil
}
