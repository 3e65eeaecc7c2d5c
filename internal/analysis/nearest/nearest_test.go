package nearest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/nearest"
)

func TestName(t *testing.T) {
	known := []string{"nightly", "csv-export", "payments-webhook"}
	require.Equal(t, "nightly", nearest.Name("nihgtly", known))
	require.Equal(t, "csv-export", nearest.Name("CSV-exprot", known))
	require.Empty(t, nearest.Name("zzz", known))
	require.Empty(t, nearest.Name("nightly", nil))
}
