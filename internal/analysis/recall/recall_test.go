package recall_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/recall"
)

// A text is made once as long as it has its place; texts share places, and long ones have none.
func TestTable(t *testing.T) {
	table := recall.New[string](1, 3)
	made := 0
	upper := func(text string) string {
		made++
		return strings.ToUpper(text)
	}
	for _, step := range []struct {
		text string
		made int
	}{{"a", 1}, {"a", 1}, {"b", 2}, {"a", 3}, {"", 4}, {"", 4}, {"long", 5}, {"long", 6}, {"", 6}} {
		require.Equal(t, strings.ToUpper(step.text), table.Of(step.text, upper))
		require.Equal(t, step.made, made, step.text)
	}
}
