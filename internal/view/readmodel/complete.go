package readmodel

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// completed are the tables that got columns, or came, after a model may have been filled, with the rows that can be
// taken from a model that was folded again. They are a function of the stream, so the others stay equal.
var completed = []struct{ table, where string }{
	{"sessions", " WHERE id IN " + sameSessions},
	{"signals", " WHERE session IN " + sameSessions},
	{"refused", " WHERE session IN (SELECT id FROM main.sessions)"},
	{"prevented", " WHERE session IN (SELECT id FROM main.sessions)"},
}

// sameSessions are those of which the stream still holds everything.
const sameSessions = "(SELECT m.id FROM main.sessions AS m" +
	" JOIN again.sessions AS a ON a.id = m.id AND a.first_event = m.first_event)"

// Lacks reports whether rows were folded by an earlier schema, so that they lack what later ones hold; see
// [Model.Complete].
func (m *Model) Lacks(ctx context.Context) (lacks bool, err error) {
	if err := m.reader.QueryRowContext(ctx, "SELECT lacks FROM position").Scan(&lacks); err != nil {
		return false, fmt.Errorf("read whether the read model lacks columns: %w", err)
	}
	return lacks, nil
}

// Complete takes what rows lack from the file of a model that was folded again from the stream, up to the same
// position. Figures by day, and sessions whose beginning has aged out, stay as they are.
func (m *Model) Complete(ctx context.Context, file string) (err error) {
	fail := func(err error) error { return fmt.Errorf("complete the read model: %w", err) }
	path, err := filepath.Abs(file)
	if err != nil {
		return fail(err)
	}
	if _, err := m.writer.ExecContext(ctx, "ATTACH DATABASE ? AS again", source(path)); err != nil {
		return fail(err)
	}
	defer func() {
		_, detached := m.writer.ExecContext(context.WithoutCancel(ctx), "DETACH DATABASE again")
		err = errors.Join(err, detached)
	}()
	tx, err := m.writer.BeginTx(ctx, nil)
	if err != nil {
		return fail(err)
	}
	defer rollback(tx)
	for _, c := range completed {
		copied := "INSERT OR REPLACE INTO main." + c.table + " SELECT * FROM again." + c.table + c.where
		if _, err := tx.ExecContext(ctx, copied); err != nil {
			return fail(fmt.Errorf("%s: %w", c.table, err))
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE main.position SET lacks = 0,
 bytes = (SELECT coalesce(sum(bytes), 0) FROM main.sessions)
 + (SELECT coalesce(sum(bytes), 0) FROM main.runs)`); err != nil {
		return fail(err)
	}
	if err := tx.Commit(); err != nil {
		return fail(err)
	}
	return nil
}
