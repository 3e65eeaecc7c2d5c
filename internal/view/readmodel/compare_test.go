package readmodel_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
)

// kept is the copy of a file that was filled from records, changed by statements.
func kept(t *testing.T, records []readmodel.Record, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "reports?.db") // a name may hold any character
	m := open(t, readmodel.Options{Path: path})
	fill(t, m, records, 7, 1, 30)
	for _, statement := range statements {
		result, err := m.Database().ExecContext(t.Context(), statement)
		require.NoError(t, err)
		changed, err := result.RowsAffected()
		require.NoError(t, err)
		require.Positive(t, changed, statement)
	}
	to := filepath.Join(t.TempDir(), "copy.db")
	require.NoError(t, readmodel.Copy(t.Context(), path, to), "beside its writer")
	return to
}

func compared(t *testing.T, records []readmodel.Record, file string, k readmodel.Kept) []readmodel.Difference {
	t.Helper()
	m := open(t, readmodel.Options{Path: filepath.Join(t.TempDir(), "again.db")})
	fill(t, m, records, 11)
	all, err := m.Compare(t.Context(), file, k)
	require.NoError(t, err)
	return all
}

// Whoever deletes or edits rows of the file is found: in every table that people's answers come from.
func TestChangedRowsAreFound(t *testing.T) {
	records := everything()
	require.Empty(t, compared(t, records, kept(t, records), readmodel.Kept{}))
	for _, table := range readmodel.Tables() {
		if table == "position" {
			continue
		}
		t.Run(table, func(t *testing.T) {
			whole := open(t, readmodel.Options{})
			fill(t, whole, records, 50)
			var rows int
			require.NoError(t, whole.Database().QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&rows))
			require.Positive(t, rows, "the stream fills it")
			all := compared(t, records, kept(t, records, "DELETE FROM "+table), readmodel.Kept{})
			require.Len(t, all, 1)
			require.Equal(t, []any{table, rows, 0}, []any{all[0].Table, all[0].Missing, all[0].Foreign})
		})
	}
	t.Run("an edited row", func(t *testing.T) {
		all := compared(t, records, kept(t, records, "UPDATE interrupts SET detector = 'C9' WHERE id = (SELECT min(id) FROM interrupts)"), readmodel.Kept{})
		require.Len(t, all, 1)
		require.Equal(t, []any{"interrupts", 1, 1}, []any{all[0].Table, all[0].Missing, all[0].Foreign})
		require.Contains(t, all[0].String(), `interrupts: 1 rows that DECISIONS gives are missing or changed, 1 rows are there that it does not give; the first is about "i`)
	})
	t.Run("a forged row", func(t *testing.T) {
		all := compared(t, records, kept(t, records, "INSERT INTO totals VALUES ('B9', 'fired', 3)"), readmodel.Kept{})
		require.Equal(t, []readmodel.Difference{{Table: "totals", Foreign: 1, First: "B9"}}, all)
	})
}

// What the stream no longer holds by age is not called damage; what it holds whole is compared.
func TestAgedRowsAreNoDamage(t *testing.T) {
	records := random(6, 6, 900)
	w := &writer{at: records[len(records)-1].Event.Time, next: records[len(records)-1].Sequence}
	w.opened("late", "codex")
	w.turn("late", 1)
	w.signal("late", "lg", "B1", 1)
	w.fired("late", "li", "B1", 1, "lg")
	records = append(records, w.records...)
	left := records[450:]
	require.Empty(t, compared(t, left, kept(t, records), readmodel.Kept{Aged: true}))
	all := compared(t, left, kept(t, records, "DELETE FROM interrupts WHERE session = 'late'"), readmodel.Kept{Aged: true})
	require.Equal(t, []readmodel.Difference{{Table: "interrupts", Missing: 1, First: "li"}}, all)
	require.Len(t, compared(t, left, kept(t, records, "DELETE FROM turns WHERE session = 'late'"), readmodel.Kept{Aged: true}), 1)
}

func TestACopyOfNoModel(t *testing.T) {
	folder := t.TempDir()
	require.ErrorIs(t, readmodel.Copy(t.Context(), filepath.Join(folder, "none.db"), filepath.Join(folder, "to.db")), os.ErrNotExist)
	other := filepath.Join(folder, "other.db")
	db, err := sql.Open("sqlite", other)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "CREATE TABLE x (y)")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	require.ErrorIs(t, readmodel.Copy(t.Context(), other, filepath.Join(folder, "to.db")), readmodel.ErrForeign)
}
