package quote_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
)

// A quotation is whole, or it is a name (JD-40).
func TestQuotationsAreWhole(t *testing.T) {
	require.Equal(t, `"All tests pass."`, quote.Whole("All tests pass.", 8, "your claim"))
	require.Equal(t, "your claim", quote.Whole("All tests pass and I looked at the callers of it.", 8, "your claim"))
	require.Equal(t, "your claim", quote.Whole("The list of "+strings.Repeat("x", 100), 8, "your claim"))
	require.Equal(t, "your claim", quote.Whole("All tests pass in the shop and…", 8, "your claim"))
	require.Equal(t, "your claim", quote.Whole("", 8, "your claim"))
	require.Equal(t, "parse_invoice", quote.WholeCode("parse_invoice", 4, "it"))
	require.Equal(t, "`go test ./...`", quote.WholeCode("go test ./...", 4, "it"))
	require.Equal(t, "`if name == \"\" || sep == ''`", quote.WholeCode("if name == \"\" || sep == ''", 9, "it"))
	require.Equal(t, "`a'b`", quote.WholeCode("a`b", 4, "it"))
	require.Equal(t, "it", quote.WholeCode("go test -run TestA ./store ./cart", 4, "it"))
}

// A recommended command is complete and runs as it is printed (JD-40).
func TestRecommendedCommands(t *testing.T) {
	for text, want := range map[string]string{
		"go test ./...":              "`go test ./...`",
		`pytest -k "slow and cart"`:  "`pytest -k 'slow and cart'`",
		`pytest -k "$NAME"`:          "",
		"cat > a.sh <<EOF":           "",
		"echo `date`":                "",
		"make test\nmake lint":       "",
		"go test ./... -run 'Test…":  "",
		"deploy --key ‹secret:1:ab›": "",
		"sort <input> out":           "",
		strings.Repeat("word ", 13):  "",
	} {
		shown, ok := quote.Command(text)
		require.Equal(t, want != "", ok, text)
		require.Equal(t, want, shown)
	}
}
