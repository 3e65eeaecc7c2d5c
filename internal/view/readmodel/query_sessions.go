package readmodel

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
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
