package readmodel

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// purge removes the rows of a group that an operator erased, of its run and of all its
// sessions (AU-40). The counts by day stay: they quote nothing.
func (b *batch) purge(group string) error {
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
	if err := b.dropRun(group, bytes); err != nil {
		return err
	}
	if err := b.run("DELETE FROM mutes WHERE grp = ?", group); err != nil {
		return fmt.Errorf("remove the mutes of %s: %w", group, err)
	}
	return nil
}

// overwrite writes the file again without what was removed, earlier versions of rows
// included, and empties the log of changes.
func (m *Model) overwrite(ctx context.Context) error {
	if m.options.Path == "" {
		return nil
	}
	for _, statement := range []string{"VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if _, err := m.writer.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("overwrite what was erased in the read model (%s): %w", statement, err)
		}
	}
	return nil
}
