package readmodel

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Apply folds records in stream order, all of them or none. at is where the
// caller believes the model to be; [ErrMoved] says that it is elsewhere. Records
// up to the model's position were folded before and are skipped. It returns the
// new position.
func (m *Model) Apply(ctx context.Context, at Position, records []Record) (Position, error) {
	tx, err := m.writer.BeginTx(ctx, nil)
	if err != nil {
		return at, fmt.Errorf("begin to write the read model: %w", err)
	}
	defer rollback(tx)
	b, err := m.begin(ctx, tx, at)
	if err != nil {
		return at, err
	}
	for _, r := range records {
		if err := b.take(r); err != nil {
			return at, fmt.Errorf("fold %s %s into the read model: %w", r.Event.Type, r.Event.ID, err)
		}
	}
	if err := b.end(); err != nil {
		return at, err
	}
	if err := tx.Commit(); err != nil {
		return at, fmt.Errorf("commit to the read model: %w", err)
	}
	if b.purged {
		return b.position, m.finish(ctx)
	}
	return b.position, nil
}

// batch is one transaction of folding. Rows that change often are held back and
// written at its end, or when rows must leave.
type batch struct {
	figures
	max      int64
	position Position
	sessions map[string]*session
	runs     map[string]*run // nil: it has no row
	purged   bool            // a group was erased (AU-40)
}

// transaction runs queries, at the time of an event.
type transaction struct {
	ctx      context.Context
	tx       *sql.Tx
	prepared map[string]*sql.Stmt
	now      int64 // time of the event at hand, or the last that had one
}

func (m *Model) begin(ctx context.Context, tx *sql.Tx, at Position) (*batch, error) {
	p, err := position(ctx, tx)
	if err != nil {
		return nil, err
	}
	if p.Stream != at.Stream || p.Sequence != at.Sequence {
		return nil, fmt.Errorf("%w: it is at %d, not at %d", ErrMoved, p.Sequence, at.Sequence)
	}
	b := &batch{
		figures: figures{
			transaction: transaction{ctx: ctx, tx: tx, prepared: map[string]*sql.Stmt{}, now: micros(p.Last)},
			daily:       map[counter]int64{}, totals: map[[2]string]int64{}, runDaily: map[runCounter]int64{},
		},
		max: m.options.MaxBytes, position: p, sessions: map[string]*session{}, runs: map[string]*run{},
	}
	return b, b.readNames()
}

// take folds one record.
func (b *batch) take(r Record) error {
	b.position.Anchor = max(b.position.Anchor, r.Anchor)
	if r.Sequence <= b.position.Sequence {
		return nil
	}
	b.position.Sequence = r.Sequence
	if !r.Stored.IsZero() && r.Event.Time.After(r.Stored) {
		r.Event.Time = r.Stored
	}
	if !r.Event.Time.IsZero() {
		b.now = micros(r.Event.Time)
		if r.Event.Time.After(b.position.Last) {
			b.position.Last = instant(b.now)
		}
	}
	if err := b.knowDay(b.dayNow()); err != nil {
		return err
	}
	if r.Event.Type == runevents.TypeContentPurged {
		return upkeep{b}.purge(r.Event.Group())
	}
	if err := (runRows{b}).ofRuns(r.Event); err != nil {
		return err
	}
	if err := b.fold(r.Event); err != nil {
		return err
	}
	return upkeep{b}.makeRoom()
}

// fold folds what an event says about a session.
func (b *batch) fold(ev events.Event) error {
	switch d := ev.Data.(type) {
	case *sessionevents.SessionOpened:
		return b.opened(ev, d)
	case *sessionevents.SessionClosed:
		return b.closed(ev, d)
	case *sessionevents.TurnEvaluated:
		return b.turn(ev, d)
	case *sessionevents.InputRefused:
		return b.refused(ev, d)
	case *sessionevents.Signal:
		if d.Layer == sessionevents.LayerSession || d.Layer == "" {
			return findings{b}.detected(ev, d)
		}
	case *sessionevents.Disposition:
		return findings{b}.disposed(ev, d)
	case *sessionevents.InterruptQueued:
		return findings{b}.queued(ev, d)
	case *sessionevents.InterruptFired:
		if d.Layer == sessionevents.LayerSession || d.Layer == "" { // the others are a run's, outside the budget
			return findings{b}.fired(ev, d)
		}
	case *sessionevents.GuardDecided:
		return findings{b}.guarded(ev, d)
	case *sessionevents.OpinionRecorded:
		return findings{b}.opined(ev, d)
	case *sessionevents.InterruptDelivery:
		return findings{b}.delivered(d)
	case *runevents.OperatorAct:
		return findings{b}.acted(ev, d)
	case *sessionevents.BudgetExhausted:
		_, err := b.session(ev, d.Session)
		return err
	}
	return nil
}

// end writes what was held back.
func (b *batch) end() error {
	if err := b.flush(); err != nil {
		return err
	}
	return b.position.write(b.ctx, b.tx)
}

func (b *batch) flush() error {
	if err := b.writeSessions(); err != nil {
		return err
	}
	if err := (runRows{b}).writeRuns(); err != nil {
		return err
	}
	if err := b.writeCounts(); err != nil {
		return err
	}
	return runRows{b}.writeRunCounts()
}

// statement is a query, prepared once for the batch: preparing costs more than
// running it.
func (t *transaction) statement(query string) (*sql.Stmt, error) {
	if known := t.prepared[query]; known != nil {
		return known, nil
	}
	statement, err := t.tx.PrepareContext(t.ctx, query)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", query, err)
	}
	t.prepared[query] = statement // the transaction closes it
	return statement, nil
}

// run executes a query that gives no rows.
func (t *transaction) run(query string, args ...any) error {
	statement, err := t.statement(query)
	if err != nil {
		return err
	}
	_, err = statement.ExecContext(t.ctx, args...)
	return err
}

// scan reads one row; [sql.ErrNoRows] says that there is none.
func (t *transaction) scan(query string, args []any, into ...any) error {
	statement, err := t.statement(query)
	if err != nil {
		return err
	}
	return statement.QueryRowContext(t.ctx, args...).Scan(into...)
}

// opined counts what a model was asked, how it answered and what that cost, by day and model (AD-5).
func (b findings) opined(ev events.Event, d *sessionevents.OpinionRecorded) error {
	if _, err := b.session(ev, d.Session); err != nil {
		return err
	}
	name, err := b.name(kindOpinion, d.Model)
	if err != nil {
		return err
	}
	add := func(what string, n int) {
		b.count(b.dayNow(), kindOpinion, name, what, n)
	}
	add("questions", 1)
	add("tokens", d.Tokens.In+d.Tokens.Out)
	add("cost_micros", int(d.Cost))
	switch {
	case d.Void != "":
		add("void", 1)
	case d.Kind == sessionevents.QuestionDigest:
		add("findings", len(d.Findings))
	case d.Verdict == sessionevents.OpinionConfirmed && d.WorthSaying == sessionevents.WorthNo:
		add("not_worth_saying", 1)
	default:
		add(string(d.Verdict), 1)
	}
	return nil
}

// purge removes the rows of a group that an operator erased, of its run and of all its
// sessions (AU-40). The counts by day stay: they quote nothing.
func (b upkeep) purge(group string) error {
	if err := b.flush(); err != nil {
		return err
	}
	clear(b.sessions)
	clear(b.runs)
	b.purged = true
	for {
		one := silent{}
		err := b.scan("SELECT id, bytes FROM sessions WHERE grp = ? LIMIT 1", []any{group}, &one.id, &one.bytes)
		if errors.Is(err, sql.ErrNoRows) {
			break
		}
		if err != nil {
			return fmt.Errorf("find the sessions of %s: %w", group, err)
		}
		if err := b.leave(one); err != nil {
			return err
		}
	}
	var bytes int64
	if err := b.scan("SELECT coalesce(sum(bytes), 0) FROM runs WHERE id = ?", []any{group}, &bytes); err != nil {
		return fmt.Errorf("measure run %s: %w", group, err)
	}
	if err := runRows(b).dropRun(group, bytes); err != nil {
		return err
	}
	if err := b.run("DELETE FROM mutes WHERE grp = ?", group); err != nil {
		return fmt.Errorf("remove the mutes of %s: %w", group, err)
	}
	if err := b.run("UPDATE position SET erasing = 1"); err != nil {
		return fmt.Errorf("note that %s is to be erased: %w", group, err)
	}
	return nil
}

// overwrite writes the file again without what was removed, earlier versions of rows
// included, empties the log of changes, and removes broken files that were moved aside. What
// fails or is killed is done when the model is opened again.
func (m *Model) overwrite(ctx context.Context) error {
	if m.options.Path == "" {
		return nil
	}
	if _, err := m.writer.ExecContext(ctx, "VACUUM"); err != nil {
		return fmt.Errorf("write the read model again without what was erased: %w", err)
	}
	if err := m.emptyLog(ctx); err != nil {
		return err
	}
	if err := removeAside(m.options.Path); err != nil {
		return err
	}
	if _, err := m.writer.ExecContext(ctx, "UPDATE position SET erasing = 0"); err != nil {
		return fmt.Errorf("note that the read model was written again: %w", err)
	}
	return nil
}

// emptyLog moves the log of changes into the file. Readers may keep it from being emptied,
// which SQLite does not report as an error.
func (m *Model) emptyLog(ctx context.Context) error {
	var busy, pages, moved int
	if err := m.writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil {
		return fmt.Errorf("empty the log of the read model: %w", err)
	}
	if busy != 0 {
		return errors.New("empty the log of the read model, which holds what was erased: a reader keeps it")
	}
	return nil
}

// finish does what a purge had left to do.
func (m *Model) finish(ctx context.Context) error {
	var erasing bool
	if err := m.writer.QueryRowContext(ctx, "SELECT erasing FROM position").Scan(&erasing); err != nil {
		return fmt.Errorf("read what a purge has left to do: %w", err)
	}
	if !erasing {
		return nil
	}
	return m.overwrite(ctx)
}
