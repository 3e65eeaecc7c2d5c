package readmodel

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// application marks the file as ours (PRAGMA application_id): "SWRM".
const application = 0x5357524d

// migrations are the steps of the schema, in order; a file's number is the
// version it leads to.
func migrations() ([]string, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return nil, fmt.Errorf("list the migrations: %w", err)
	}
	steps := make([]string, 0, len(names))
	for i, name := range names { // sorted
		var number int
		if _, err := fmt.Sscanf(name, "migrations/%d_", &number); err != nil || number != i+1 {
			return nil, fmt.Errorf("migration %s: its number must be %04d", name, i+1)
		}
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read migration %s: %w", name, err)
		}
		steps = append(steps, string(text))
	}
	return steps, nil
}

// rebuiltAt is the schema whose migration empties a model: an earlier one does not
// hold what the new tables need.
const rebuiltAt = 3

// prepare checks a file and brings its schema up to date.
func prepare(ctx context.Context, db *sql.DB, o Options) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	version, err := version(ctx, db, len(steps))
	if err != nil {
		return err
	}
	if o.Path != "" {
		if err := check(ctx, db); err != nil {
			return err
		}
		if _, err := db.ExecContext(ctx, "PRAGMA journal_mode=WAL"); err != nil {
			return fmt.Errorf("switch on write-ahead logging: %w", err)
		}
	}
	if version > 0 && version < rebuiltAt {
		o.Note(fmt.Sprintf("the read model %s is of an earlier version (schema %d); it is rebuilt from the stream", o.Path, version))
	}
	for ; version < len(steps); version++ {
		if err := migrate(ctx, db, version+1, steps[version]); err != nil {
			return err
		}
	}
	return nil
}

// version is the schema's; a foreign file and a newer one are refused.
func version(ctx context.Context, db *sql.DB, newest int) (int, error) {
	var mark, version, tables int
	err := db.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").
		Scan(&mark, &version, &tables)
	switch {
	case err != nil:
		return 0, fmt.Errorf("read its version: %w", err)
	case tables > 0 && mark != application:
		return 0, ErrForeign
	case version > newest:
		return 0, fmt.Errorf("%w (schema %d, this one knows %d): upgrade, or name another file", ErrNewer, version, newest)
	}
	return version, nil
}

func checkReadable(ctx context.Context, db *sql.DB) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	version, err := version(ctx, db, len(steps))
	if err == nil && version < len(steps) {
		err = fmt.Errorf("its schema %d is older than %d; start the reporter once, which brings it up to date", version, len(steps))
	}
	return err
}

func check(ctx context.Context, db *sql.DB) error {
	var found string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found); err != nil {
		return fmt.Errorf("check the file: %w", err)
	}
	if found != "ok" {
		return fmt.Errorf("%w: %s", errDamaged, found)
	}
	return nil
}

func migrate(ctx context.Context, db *sql.DB, to int, step string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin migration %d: %w", to, err)
	}
	defer rollback(tx)
	marks := fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d;", to, application)
	if _, err := tx.ExecContext(ctx, step+marks); err != nil {
		return fmt.Errorf("migration %d: %w", to, err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit migration %d: %w", to, err)
	}
	return nil
}

// rollback ends a transaction that was not committed; after a commit it does nothing.
func rollback(tx *sql.Tx) { _ = tx.Rollback() }
