package workload

import (
	"encoding/json"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

func TestDeterministicAndNearTheMeasuredMix(t *testing.T) {
	a, b := Make(Mix(7, 10, 100)), Make(Mix(7, 10, 100))
	require.Equal(t, a, b)
	require.NotEmpty(t, a.Secrets)
	var sizes []int
	for _, list := range a.Sessions {
		for _, e := range list {
			if turn, ok := e.Data.(*events.Turn); ok {
				data, err := json.Marshal(turn)
				require.NoError(t, err)
				sizes = append(sizes, len(data))
			}
		}
	}
	sort.Ints(sizes)
	p50, p90 := sizes[len(sizes)/2], sizes[len(sizes)*9/10]
	t.Logf("p50 %d, p90 %d bytes", p50, p90)
	require.InDelta(t, 6700, p50, 4000)
	require.InDelta(t, 41000, p90, 20000)
}
