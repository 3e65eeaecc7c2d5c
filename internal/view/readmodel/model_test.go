package readmodel_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		writeAsChild(path)
		return
	}
	goleak.VerifyTestMain(m)
}

func open(t testing.TB, o readmodel.Options) *readmodel.Model {
	t.Helper()
	m, err := readmodel.Open(context.Background(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// fill applies records in batches of the sizes given, over and over.
func fill(t testing.TB, m *readmodel.Model, records []readmodel.Record, sizes ...int) {
	t.Helper()
	at, err := m.Position(t.Context())
	require.NoError(t, err)
	for i := 0; len(records) > 0; i++ {
		n := min(sizes[i%len(sizes)], len(records))
		at, err = m.Apply(t.Context(), at, records[:n])
		require.NoError(t, err)
		records = records[n:]
	}
}

// rows are all rows of a model, a line each.
func rows(t require.TestingT, m *readmodel.Model) []string {
	var all []string
	for _, table := range readmodel.Tables() {
		found, err := m.Database().QueryContext(context.Background(), "SELECT * FROM "+table)
		require.NoError(t, err)
		columns, err := found.Columns()
		require.NoError(t, err)
		for found.Next() {
			cells, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range cells {
				into[i] = &cells[i]
			}
			require.NoError(t, found.Scan(into...))
			all = append(all, table+" "+strings.Trim(strings.ReplaceAll(fmt.Sprintf("%q", fmt.Sprintln(cells...)), `\n`, ""), `"`))
		}
		require.NoError(t, found.Err())
		require.NoError(t, found.Close())
	}
	return all
}

// requireSame compares rows and names the first that differs.
func requireSame(t require.TestingT, want, got []string) {
	for i := range min(len(want), len(got)) {
		require.Equal(t, want[i], got[i], "row %d", i)
	}
	require.Len(t, got, len(want))
}

// The rows depend on the events alone: not on how they come in batches, nor on
// what is read again after a restart, nor on a rebuild, also where rows leave.
func TestSameRowsHoweverTheyCome(t *testing.T) {
	all := 0
	for _, most := range []int64{0, 60_000} {
		records := random(7, 40, 3000)
		one := open(t, readmodel.Options{MaxBytes: most})
		fill(t, one, records, len(records))
		want := rows(t, one)
		require.Greater(t, len(want), 200)

		two := open(t, readmodel.Options{Path: filepath.Join(t.TempDir(), "parts.db"), MaxBytes: most})
		fill(t, two, records[:900], 1, 2, 17)
		fill(t, two, records[850:], 3, 250, 1)
		requireSame(t, want, rows(t, two))

		require.NoError(t, two.Reset(t.Context(), ""))
		require.Len(t, rows(t, two), 1)
		fill(t, two, records, 100)
		requireSame(t, want, rows(t, two))

		at, err := one.Position(t.Context())
		require.NoError(t, err)
		if most > 0 {
			require.LessOrEqual(t, at.Bytes, most)
			require.Less(t, len(want), all, "rows leave")
		}
		all = len(want)
	}
}

func TestSameRowsProperty(t *testing.T) {
	proofs.Check(t, 15, func(r *rapid.T) {
		records := random(rapid.Uint64().Draw(r, "seed"), rapid.IntRange(1, 12).Draw(r, "sessions"), 150)
		most := rapid.SampledFrom([]int64{0, 3_000, 12_000}).Draw(r, "most")
		var all [2][]string
		for i, sizes := range [][]int{{1000}, rapid.SliceOfN(rapid.IntRange(1, 40), 1, 5).Draw(r, "sizes")} {
			m, err := readmodel.Open(context.Background(), readmodel.Options{MaxBytes: most})
			require.NoError(r, err)
			fill(t, m, records, sizes...)
			all[i] = rows(r, m)
			require.NoError(r, m.Close())
		}
		requireSame(r, all[0], all[1])
	})
}

// A writer that finds the position moved changes nothing.
func TestTwoWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	records := random(3, 5, 100)
	one, two := open(t, readmodel.Options{Path: path}), open(t, readmodel.Options{Path: path})
	start, err := two.Position(t.Context())
	require.NoError(t, err)
	fill(t, one, records[:50], 10)
	before := rows(t, one)
	_, err = two.Apply(t.Context(), start, records[:60])
	require.ErrorIs(t, err, readmodel.ErrMoved)
	requireSame(t, before, rows(t, one))
	fill(t, two, records, 10)
	at, err := one.Position(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 100, at.Sequence)
}

// The model in memory answers as a file does.
func TestInMemory(t *testing.T) {
	records := random(5, 6, 400)
	memory, file := open(t, readmodel.Options{}), open(t, readmodel.Options{Path: filepath.Join(t.TempDir(), "odd name ?#%.db")})
	for _, m := range []*readmodel.Model{memory, file} {
		fill(t, m, records, 37)
	}
	a, err := memory.Sessions(t.Context(), 0)
	require.NoError(t, err)
	b, err := file.Sessions(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, a, b)
	require.Len(t, a, 6)
}
