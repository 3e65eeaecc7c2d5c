package readmodel_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
)

func execute(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), query)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// What this version cannot read is refused and left as it is.
func TestRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	m, err := readmodel.Open(t.Context(), readmodel.Options{Path: path})
	require.NoError(t, err)
	require.NoError(t, m.Close())
	execute(t, path, "PRAGMA user_version = 99")
	_, err = readmodel.Open(t.Context(), readmodel.Options{Path: path})
	require.ErrorIs(t, err, readmodel.ErrNewer)
	require.ErrorContains(t, err, "schema 99")
	_, err = readmodel.OpenReadOnly(t.Context(), path)
	require.ErrorIs(t, err, readmodel.ErrNewer)

	other := filepath.Join(t.TempDir(), "other.db")
	execute(t, other, "CREATE TABLE things (a)")
	_, err = readmodel.Open(t.Context(), readmodel.Options{Path: other})
	require.ErrorIs(t, err, readmodel.ErrForeign)
	_, err = readmodel.OpenReadOnly(t.Context(), filepath.Join(t.TempDir(), "none.db"))
	require.ErrorIs(t, err, os.ErrNotExist)
	files, err := filepath.Glob(path + "*broken*")
	require.NoError(t, err)
	require.Empty(t, files)
}

// A broken file is put aside, with a word, and a new one begun.
func TestBrokenFile(t *testing.T) {
	damage := map[string]func(t *testing.T, path string){
		"no database": func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, []byte("this is no database, but it is long enough to look like one at first"), 0o600))
		},
		"pages overwritten": func(t *testing.T, path string) {
			m, err := readmodel.Open(t.Context(), readmodel.Options{Path: path})
			require.NoError(t, err)
			fill(t, m, random(2, 5, 500), 100)
			require.NoError(t, m.Close())
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			for i := 4096; i < len(data); i++ {
				data[i] = byte(i)
			}
			require.NoError(t, os.WriteFile(path, data, 0o600))
		},
		"cut off": func(t *testing.T, path string) {
			m, err := readmodel.Open(t.Context(), readmodel.Options{Path: path})
			require.NoError(t, err)
			fill(t, m, random(2, 5, 500), 100)
			require.NoError(t, m.Close())
			require.NoError(t, os.Truncate(path, 8192))
		},
	}
	for name, harm := range damage {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m.db")
			harm(t, path)
			broken, err := os.ReadFile(path)
			require.NoError(t, err)
			var said []string
			m := open(t, readmodel.Options{Path: path, Note: func(text string) { said = append(said, text) }})
			require.Len(t, said, 1)
			require.Contains(t, said[0], "is broken")
			aside, err := filepath.Glob(path + ".broken-*")
			require.NoError(t, err)
			require.NotEmpty(t, aside)
			kept, err := os.ReadFile(aside[0])
			require.NoError(t, err)
			require.Equal(t, broken, kept)
			at, err := m.Position(t.Context())
			require.NoError(t, err)
			require.Zero(t, at)
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		})
	}
}

// Another process reads while one writes.
func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	writer := open(t, readmodel.Options{Path: path})
	records := random(4, 6, 300)
	fill(t, writer, records[:200], 50)
	reader, err := readmodel.OpenReadOnly(t.Context(), path)
	require.NoError(t, err)
	before, err := reader.Position(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 200, before.Sequence)
	fill(t, writer, records[200:], 50)
	after, err := reader.Position(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 300, after.Sequence)
	require.NoError(t, reader.Close())
}

// A file of the schema before runs is emptied with a word, so that it is built
// anew; until then a reader is told.
func TestEarlierSchemaIsBuiltAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	execute(t, path, readmodel.FirstSchema()+`
 UPDATE position SET stream = 'DECISIONS', sequence = 7, anchor = 5;
 INSERT INTO daily VALUES ('2026-01-05', 'agent', 'codex', 'turns', 3);`)
	_, err := readmodel.OpenReadOnly(t.Context(), path)
	require.ErrorContains(t, err, "start the reporter once")
	var said []string
	m := open(t, readmodel.Options{Path: path, Note: func(text string) { said = append(said, text) }})
	require.Len(t, said, 1)
	require.Contains(t, said[0], "rebuilt")
	at, err := m.Position(t.Context())
	require.NoError(t, err)
	require.Zero(t, at)
	require.Empty(t, report(t, m, "", "").Agents)
	fill(t, m, random(2, 5, 300), 50)
	require.NotEmpty(t, report(t, m, "", "").Runs.Projects)
}
