package readmodel

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Copy writes the file of a model, as it is at one moment, into a new file. Another process may be
// writing it.
func Copy(ctx context.Context, path, to string) error {
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("copy the read model: %w", err)
	}
	from, err := sql.Open("sqlite", source(path, "mode=ro", "_pragma=busy_timeout(10000)"))
	if err != nil {
		return fmt.Errorf("copy the read model %s: %w", path, err)
	}
	err = checkReadable(ctx, from)
	if err == nil {
		_, err = from.ExecContext(ctx, "VACUUM INTO ?", to)
	}
	if err = errors.Join(err, from.Close()); err != nil {
		return fmt.Errorf("copy the read model %s: %w", path, err)
	}
	return os.Chmod(to, 0o600) // it quotes sessions
}

// Kept says what of the stream a model can be derived from again.
type Kept struct {
	Aged   bool // its oldest events have aged out
	Purged bool // an operator erased some, which still count in figures by day
}

// Difference is what differs in one table.
type Difference struct {
	Table   string `json:"table"`
	Missing int    `json:"missing"` // rows that the stream gives and the table does not hold so
	Foreign int    `json:"foreign"` // rows that the stream does not give
	First   string `json:"first"`   // of either: the first column, an id or a day
}

// String returns one line for a person.
func (d Difference) String() string {
	return fmt.Sprintf("%s: %d rows that DECISIONS gives are missing or changed, %d rows are there that it does not give; the first is about %q",
		d.Table, d.Missing, d.Foreign, d.First)
}

// counted are the tables of figures, which outlast what they count.
var counted = map[string]bool{"daily": true, "names": true, "totals": true, "run_daily": true}

// Compare names what differs in a copy of a model's file from this one, which was filled from the
// stream up to the same position with the same room. Rows are a function of the stream (see the
// package), so a difference is damage, or the work of an earlier build. A file that lacks columns is to be completed
// first ([Model.Lacks]).
func (m *Model) Compare(ctx context.Context, file string, kept Kept) (all []Difference, err error) {
	fail := func(err error) ([]Difference, error) { return nil, fmt.Errorf("compare the read model: %w", err) }
	path, err := filepath.Abs(file)
	if err != nil {
		return fail(err)
	}
	if _, err := m.writer.ExecContext(ctx, "ATTACH DATABASE ? AS kept", source(path)); err != nil {
		return fail(err)
	}
	defer func() {
		_, detached := m.writer.ExecContext(context.WithoutCancel(ctx), "DETACH DATABASE kept")
		err = errors.Join(err, detached)
	}()
	for _, table := range Tables() {
		columns, where := "*", ""
		switch {
		case table == "prevented" && kept.Aged: // the latest of all sessions
			continue
		case table == "position":
			columns = "last_event, bytes"
			fallthrough
		case counted[table]:
			if kept.Aged || kept.Purged {
				continue
			}
		case kept.Aged:
			if where = whole[table]; where == "" {
				continue
			}
		}
		d, err := m.difference(ctx, table, columns, where, kept)
		if err != nil {
			return fail(err)
		}
		if d.Missing > 0 || d.Foreign > 0 {
			all = append(all, d)
		}
	}
	return all, nil
}

// wholeSessions are the sessions of which the stream still holds everything.
const wholeSessions = "(SELECT id FROM main.sessions AS m WHERE NOT EXISTS (SELECT 1 FROM kept.sessions AS k WHERE k.id = m.id AND k.first_event <> m.first_event))"

// whole restricts a table to what can be derived although the oldest events have aged out.
var whole = map[string]string{
	"sessions":   " WHERE id IN " + wholeSessions,
	"refused":    " WHERE session IN " + wholeSessions,
	"turns":      " WHERE session IN " + wholeSessions,
	"signals":    " WHERE session IN " + wholeSessions,
	"interrupts": " WHERE session IN " + wholeSessions,
}

func (m *Model) difference(ctx context.Context, table, columns, where string, kept Kept) (Difference, error) {
	d := Difference{Table: table}
	rows := func(in, not string) string {
		return fmt.Sprintf("SELECT %s FROM %s.%s%s EXCEPT SELECT %[1]s FROM %[5]s.%[3]s", columns, in, table, where, not)
	}
	for _, side := range []struct {
		count *int
		query string
		skip  bool
	}{{&d.Missing, rows("main", "kept"), false}, {&d.Foreign, rows("kept", "main"), kept.Aged}} {
		if side.skip { // the events of what is older are gone
			continue
		}
		if err := m.writer.QueryRowContext(ctx, "SELECT count(*) FROM ("+side.query+")").Scan(side.count); err != nil {
			return d, err
		}
		if *side.count > 0 && d.First == "" {
			if err := m.firstOf(ctx, side.query, &d.First); err != nil {
				return d, err
			}
		}
	}
	return d, nil
}

// firstOf reads the first column of the first row.
func (m *Model) firstOf(ctx context.Context, query string, into *string) error {
	rows, err := m.writer.QueryContext(ctx, query+" LIMIT 1")
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil || !rows.Next() {
		return errors.Join(err, rows.Err())
	}
	fields := make([]any, len(names))
	for i := range fields {
		fields[i] = new(sql.RawBytes)
	}
	fields[0] = into
	return rows.Scan(fields...)
}
