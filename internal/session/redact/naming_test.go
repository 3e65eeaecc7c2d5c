package redact

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
)

// SW-7: two names with one value are two findings, each with its own name; what only equals the
// value keeps the first. A later round moves the places of the earlier one.
func TestEachMarkerHasItsOwnName(t *testing.T) {
	value := secretstest.New(31).Random(24)
	text := "db_password = \"" + value + "\"\nx = " + value + "\napi_secret = \"" + value + "\"\n"
	clean, found := redactor(t).Text(text, "src/a.py")
	require.NotContains(t, clean, value)
	require.Len(t, found, 3)
	require.Equal(t, "db_password", found[0].Variable)
	require.Equal(t, "api_secret", found[2].Variable)
}

func TestReplaceMovesNames(t *testing.T) {
	l := leaf{text: "a=secret b=hidden c=open", hits: []hit{{start: 11, end: 17, own: true}}}
	l.hits[0].finding.Variable = "b"
	l.replace()
	at := l.named[0].at
	l.hits = []hit{{start: 2, end: 8, own: true}}
	l.hits[0].finding.Variable = "a"
	before := len(l.text)
	l.replace()
	require.Equal(t, []naming{{2, "a"}, {at + len(l.text) - before, "b"}}, l.named)
	require.Equal(t, "b", l.nameAt(at+len(l.text)-before))
	require.Empty(t, l.nameAt(3))
}
