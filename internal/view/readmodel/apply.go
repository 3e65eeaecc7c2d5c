package readmodel

import (
	"context"
	"database/sql"
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
	ctx      context.Context
	tx       *sql.Tx
	max      int64
	position Position
	prepared map[string]*sql.Stmt
	now      int64 // time of the event at hand, or the last that had one
	sessions map[string]*session
	daily    map[counter]int64
	totals   map[[2]string]int64
	runs     map[string]*run // nil: it has no row
	runDaily map[runCounter]int64
	names    map[[2]string]bool
	kinds    map[string]int // names known, by kind
	purged   bool           // a group was erased (AU-40)
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
		ctx: ctx, tx: tx, max: m.options.MaxBytes, position: p, now: micros(p.Last),
		prepared: map[string]*sql.Stmt{}, sessions: map[string]*session{}, daily: map[counter]int64{}, totals: map[[2]string]int64{},
		runs: map[string]*run{}, runDaily: map[runCounter]int64{},
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
		return b.purge(r.Event.Group())
	}
	if err := b.ofRuns(r.Event); err != nil {
		return err
	}
	if err := b.fold(r.Event); err != nil {
		return err
	}
	return b.makeRoom()
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
			return b.detected(ev, d)
		}
	case *sessionevents.Disposition:
		return b.disposed(ev, d)
	case *sessionevents.InterruptQueued:
		return b.queued(ev, d)
	case *sessionevents.InterruptFired:
		if d.Layer == sessionevents.LayerSession || d.Layer == "" { // the others are a run's, outside the budget
			return b.fired(ev, d)
		}
	case *sessionevents.GuardDecided:
		return b.guarded(ev, d)
	case *sessionevents.OpinionRecorded:
		return b.opined(ev, d)
	case *sessionevents.InterruptDelivery:
		return b.delivered(d)
	case *runevents.OperatorAct:
		return b.acted(ev, d)
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
	if err := b.writeRuns(); err != nil {
		return err
	}
	if err := b.writeCounts(); err != nil {
		return err
	}
	return b.writeRunCounts()
}

// statement is a query, prepared once for the batch: preparing costs more than
// running it.
func (b *batch) statement(query string) (*sql.Stmt, error) {
	if known := b.prepared[query]; known != nil {
		return known, nil
	}
	statement, err := b.tx.PrepareContext(b.ctx, query)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", query, err)
	}
	b.prepared[query] = statement // the transaction closes it
	return statement, nil
}

// run executes a query that gives no rows.
func (b *batch) run(query string, args ...any) error {
	statement, err := b.statement(query)
	if err != nil {
		return err
	}
	_, err = statement.ExecContext(b.ctx, args...)
	return err
}

// scan reads one row; [sql.ErrNoRows] says that there is none.
func (b *batch) scan(query string, args []any, into ...any) error {
	statement, err := b.statement(query)
	if err != nil {
		return err
	}
	return statement.QueryRowContext(b.ctx, args...).Scan(into...)
}
