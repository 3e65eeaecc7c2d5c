package readmodel

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

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
