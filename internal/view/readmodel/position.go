package readmodel

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Position is how far a stream has been folded.
type Position struct {
	Stream   string    // which stream, "" before the first event
	Sequence uint64    // of the last event folded
	Anchor   uint64    // where reading resumes; records up to Sequence that come again are skipped
	Last     time.Time // latest time of an event, zero before the first
	Bytes    int64     // accounted size of the rows of sessions and runs
}

// Record is one event of DECISIONS with its place in the stream.
type Record struct {
	Sequence uint64
	Anchor   uint64
	Event    events.Event
	// Stored is when the stream stored the event; zero where that is not known. No
	// event is later: what a publisher dates ahead does not stay first in lists.
	Stored time.Time
}

// queryer is a database or a transaction.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Position returns the position of the last event folded.
func (m *Model) Position(ctx context.Context) (Position, error) { return position(ctx, m.reader) }

func position(ctx context.Context, from queryer) (p Position, err error) {
	var last int64
	err = from.QueryRowContext(ctx, "SELECT stream, sequence, anchor, last_event, bytes FROM position").
		Scan(&p.Stream, &p.Sequence, &p.Anchor, &last, &p.Bytes)
	if err != nil {
		return p, fmt.Errorf("read the position of the read model: %w", err)
	}
	p.Last = instant(last)
	return p, nil
}

func (p Position) write(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "UPDATE position SET stream = ?, sequence = ?, anchor = ?, last_event = ?, bytes = ?",
		p.Stream, int64(p.Sequence), int64(p.Anchor), micros(p.Last), p.Bytes)
	if err != nil {
		return fmt.Errorf("store the position of the read model: %w", err)
	}
	return nil
}

// Reset empties the model; it then waits for the named stream from its beginning.
func (m *Model) Reset(ctx context.Context, stream string) error {
	tx, err := m.writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin to empty the read model: %w", err)
	}
	defer rollback(tx)
	for _, table := range Tables() {
		if table == "position" {
			continue
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table); err != nil {
			return fmt.Errorf("empty %s of the read model: %w", table, err)
		}
	}
	if err := (Position{Stream: stream}).write(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE position SET lacks = 0"); err != nil {
		return fmt.Errorf("empty the read model: %w", err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("empty the read model: %w", err)
	}
	return nil
}

// Tables are the names of all tables, in the order of the schema.
func Tables() []string {
	return []string{"position", "sessions", "turns", "signals", "interrupts", "deliveries", "verdicts", "mutes", "daily", "names", "totals", "runs", "waits", "run_daily", "refused", "prevented"}
}

// micros is a time as it is stored, 0 for none.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func instant(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}
