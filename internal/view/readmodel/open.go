package readmodel

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Options say where a model is and how large it may grow.
type Options struct {
	// Path of the database file; "" keeps it in memory.
	Path string
	// MaxBytes bounds the accounted size of the rows of sessions and runs: beyond it
	// the one that was silent longest leaves. 0 sets no bound.
	MaxBytes int64
	// Note receives what a person should know, such as a broken file moved aside.
	Note func(text string)
}

// Model is an open read model. One goroutine applies, any number may read.
type Model struct {
	options Options
	writer  *sql.DB // one connection
	reader  *sql.DB // the writer itself where the model is in memory
	sessionQueries
	interruptQueries
	fleetQueries
}

// read takes the connection that queries are answered from.
func (m *Model) read(from *sql.DB) {
	m.reader, m.sessionQueries.reader, m.interruptQueries.reader, m.fleetQueries.reader = from, from, from, from
}

// each calls take for each row of a query, up to the first error, which says what was attempted. What take collected
// until then is not whole.
func each(
	ctx context.Context, from *sql.DB, what string, take func(scan func(...any) error) error, query string, args ...any,
) error {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := take(rows.Scan); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Errors of a model that cannot be used.
var (
	// ErrNewer says that a newer scaffoldwatch made the file; it is left as it is.
	ErrNewer = errors.New("the read model was made by a newer scaffoldwatch")
	// ErrForeign says that the file is a database of something else.
	ErrForeign = errors.New("the file is a database, but no read model of scaffoldwatch")
	// ErrMoved says that another writer went on from the same position.
	ErrMoved = errors.New("another writer changed the read model")
)

// Open opens the model, making or migrating it where needed. A broken file is
// moved aside and a new one begun, which is then to be filled from the stream.
func Open(ctx context.Context, o Options) (*Model, error) {
	if o.Note == nil {
		o.Note = func(string) {}
	}
	m, err := open(ctx, o)
	if err == nil || o.Path == "" || !broken(err) {
		return m, err
	}
	aside, moveErr := moveAside(o.Path)
	if moveErr != nil {
		return nil, errors.Join(fmt.Errorf("open the read model %s: %w", o.Path, err), moveErr)
	}
	o.Note(fmt.Sprintf("the read model %s is broken (%v); it is now %s, and a new one is built from the stream", o.Path, err, aside))
	return open(ctx, o)
}

func open(ctx context.Context, o Options) (*Model, error) {
	if err := prepareFile(o.Path); err != nil {
		return nil, err
	}
	m := &Model{options: o}
	var err error
	if m.writer, err = sql.Open("sqlite", source(o.Path, "_txlock=immediate", "_pragma=busy_timeout(10000)", "_pragma=synchronous(NORMAL)",
		"_pragma=journal_size_limit(67108864)")); err != nil {
		return nil, fmt.Errorf("open the read model %s: %w", o.Path, err)
	}
	m.writer.SetMaxOpenConns(1)
	m.read(m.writer)
	err = prepare(ctx, m.writer, o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the read model %s: %w", o.Path, err), m.writer.Close())
	}
	if o.Path == "" {
		return m, nil
	}
	if err := m.finish(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the read model %s: %w", o.Path, err), m.writer.Close())
	}
	reader, err := openReader(o.Path, "rw")
	if err != nil {
		return nil, errors.Join(err, m.writer.Close())
	}
	m.read(reader)
	return m, nil
}

// OpenReadOnly opens the file of a model that another process may be writing. The
// error wraps [os.ErrNotExist] if the file does not exist.
func OpenReadOnly(ctx context.Context, path string) (*Model, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("open the read model: %w", err)
	}
	reader, err := openReader(path, "ro")
	if err != nil {
		return nil, err
	}
	if err := checkReadable(ctx, reader); err != nil {
		return nil, errors.Join(fmt.Errorf("open the read model %s: %w", path, err), reader.Close())
	}
	m := &Model{options: Options{Path: path}}
	m.read(reader)
	return m, nil
}

func openReader(path, mode string) (*sql.DB, error) {
	reader, err := sql.Open("sqlite", source(path, "mode="+mode, "_pragma=busy_timeout(10000)", "_pragma=query_only(1)"))
	if err != nil {
		return nil, fmt.Errorf("open the read model %s: %w", path, err)
	}
	reader.SetMaxOpenConns(4)
	return reader, nil
}

// Close closes the model; everything applied is on disk.
func (m *Model) Close() error {
	var errs []error
	if m.reader != m.writer {
		errs = append(errs, m.reader.Close())
	}
	if m.writer != nil {
		errs = append(errs, m.writer.Close())
	}
	return errors.Join(errs...)
}

// source is the address of the driver: a path may hold any character.
func source(path string, parameters ...string) string {
	text := "file::memory:"
	if path != "" {
		text = "file:" + (&url.URL{Path: path}).EscapedPath()
	}
	for i, p := range parameters {
		text += string("?&"[min(i, 1)]) + p
	}
	return text
}

// prepareFile makes the file, readable by its owner only: it quotes sessions.
func prepareFile(path string) error {
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return fmt.Errorf("make the folder of the read model: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open the read model: %w", err)
	}
	return file.Close()
}
