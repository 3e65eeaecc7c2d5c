package sessionreport

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// CO-9b: a subject is shown where the message names it so; a key that only tells findings apart is not.
func TestWhatAFindingIsAbout(t *testing.T) {
	for _, c := range []struct{ subject, path, message, want string }{
		{"sqlite3", "", "The plan takes sqlite3, but …", "sqlite3"},
		{"parseDate", "src/date.go", "parseDate repeats toDate.", "parseDate in src/date.go"},
		{"src/date.go", "src/date.go", "src/date.go is read again.", "src/date.go"},
		{"tests claim", "", `"all tests pass.": the test run is older.`, ""},
		{"removed ci/test.sh", "ci/test.sh", "test.sh no longer runs the linter.", "ci/test.sh"},
		{"src/users.js sql pool.query", "src/users.js", "In users.js a parameter reaches pool.query.", "src/users.js"},
		{"x", "", "", "x"},
	} {
		require.Equal(t, c.want, about(c.subject, c.path, c.message), c.subject)
	}
}

// A quote of a tool's input is what it looks for, not the names of its parameters.
func TestQuotesAreWords(t *testing.T) {
	require.Equal(t, "func main in cmd", spoken(`{"pattern":"func main","path":"cmd","-n":true}`))
	require.Equal(t, "make firmware", spoken(`{"command":"make firmware","timeout":5}`))
	for _, same := range []string{"I'll use sqlite3.", `{"limit":5}`, `{"pattern":"cut off`, "[1]", ""} {
		require.Equal(t, same, spoken(same))
	}
}

// Zeros are not printed.
func TestLinesThatWereChanged(t *testing.T) {
	for want, h := range map[string]Health{
		"1,200 lines added, 3 removed.": {LinesAdded: 1200, LinesGone: 3}, "1 line added.": {LinesAdded: 1}, "2 lines removed.": {LinesGone: 2},
	} {
		require.Equal(t, []string{want}, Model{Health: h}.Leaves())
	}
	require.Empty(t, Model{}.Leaves())
}
