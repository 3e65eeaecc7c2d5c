package chain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
)

func TestCountsOfOne(t *testing.T) {
	one := chain.Report{Events: 1, Batches: 1}
	require.Equal(t, "1 event, 1 batch, 0 heads", one.Counts())
}
