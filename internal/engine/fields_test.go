package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
)

func TestFieldsInWhichEventsDiffer(t *testing.T) {
	first, all := engine.Fields(
		[]byte(`{"turn":5,"floor":4,"urgency":4,"evidence":[{"quote":"a"},{"quote":"b"}],"streak":1,"same":{"x":null}}`),
		[]byte(`{"turn":5,"floor":2,"urgency":2,"evidence":[{"quote":"a"}],"held":null,"same":{"x":null}}`))
	require.Equal(t, 5, all)
	require.Equal(t, []engine.FieldDifference{
		{Path: "data.evidence[1]", Recorded: `{"quote":"b"}`, Derived: "none"},
		{Path: "data.floor", Recorded: "4", Derived: "2"},
		{Path: "data.held", Recorded: "none", Derived: "null"},
		{Path: "data.streak", Recorded: "1", Derived: "none"},
		{Path: "data.urgency", Recorded: "4", Derived: "2"},
	}, first)

	var many strings.Builder
	for n := range 40 {
		fmt.Fprintf(&many, `,"f%02d":1`, n)
	}
	first, all = engine.Fields([]byte(`{}`), []byte("{"+many.String()[1:]+"}"))
	require.Equal(t, 40, all)
	require.Len(t, first, 12)
	first, all = engine.Fields([]byte(`{}`), []byte(`no JSON`))
	require.Empty(t, first)
	require.Zero(t, all)
}
