package workload

import (
	"encoding/json"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func TestDeterministicAndNearTheMeasuredMix(t *testing.T) {
	a, b := Make(Mix(7, 10, 100)), Make(Mix(7, 10, 100))
	require.Equal(t, a, b)
	require.NotEmpty(t, a.Secrets)
	var sizes []int
	var read, output, declared, said, called, edited int
	for _, list := range a.Sessions {
		for _, e := range list {
			turn, ok := e.Data.(*sessionevents.Turn)
			if !ok {
				continue
			}
			data, err := json.Marshal(turn)
			require.NoError(t, err)
			sizes = append(sizes, len(data))
			kinds := map[string]bool{}
			name := ""
			for _, b := range turn.Blocks {
				kinds[string(b.Type)] = true
				if b.Name != "" {
					name = b.Name
					kinds[name] = true
				}
				output += len(b.Output)
				if name == "Read" {
					read += len(b.Output)
					declared += strings.Count(b.Output, "→def ")
				}
			}
			said += count(kinds["text"])
			called += count(kinds["tool_call"])
			edited += count(kinds["Edit"] || kinds["Write"])
		}
	}
	sort.Ints(sizes)
	turns := float64(len(sizes))
	p50, p90 := sizes[len(sizes)/2], sizes[len(sizes)*9/10]
	t.Logf("p50 %d, p90 %d bytes; read %.2f of %d KB of output, %.2f declarations a KB; %.2f say something, %.2f call, %.2f edit", p50, p90,
		float64(read)/float64(output), output/1000, float64(declared)*1000/float64(read), float64(said)/turns, float64(called)/turns, float64(edited)/turns)
	require.InDelta(t, 6700, p50, 2500)
	require.InDelta(t, 41000, p90, 12000)
	require.InDelta(t, 0.56, float64(read)/float64(output), 0.1)
	require.InDelta(t, 0.65, float64(declared)*1000/float64(read), 0.15)
	require.InDelta(t, 0.50, float64(said)/turns, 0.05)
	require.InDelta(t, 0.91, float64(called)/turns, 0.03)
	require.InDelta(t, 0.22, float64(edited)/turns, 0.04)
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
