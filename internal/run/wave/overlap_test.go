package wave

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// WP-6: the comparison of whole tables finds what comparing every pair finds.
func TestTablesMeetLikePairs(t *testing.T) {
	c := config(t)
	entry := rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "a.go", "*.go", "..", ".", "**", "IMPL.md"}), 1, 4).Draw(t, "parts")
		return rapid.SampledFrom([]string{"", "./", "/"}).Draw(t, "root") + strings.Join(parts, "/") + rapid.SampledFrom([]string{"", "", "/", "/**"}).Draw(t, "end")
	})
	table := rapid.Custom(func(t *rapid.T) *Agent {
		agent := &Agent{}
		for _, one := range rapid.SliceOfN(entry, 0, 6).Draw(t, "owns") {
			agent.Owns = append(agent.Owns, c.cleaned(one))
		}
		return agent
	})
	rapid.Check(t, func(t *rapid.T) {
		one, other := table.Draw(t, "one"), table.Draw(t, "other")
		var want []string
		for _, entry := range one.Owns {
			i := slices.IndexFunc(other.Owns, func(with string) bool { return !c.shared(with) && overlap(entry, with) })
			if !c.shared(entry) && i >= 0 {
				want = append(want, longer(entry, other.Owns[i]))
			}
		}
		require.Equal(t, want, c.tableOf(one).common(c.tableOf(other), 100))
		if apart([]*Agent{one, other}) {
			require.Empty(t, want)
		}
	})
}

// WP-6: an agent that owns everything leaves nothing to the others.
func TestOwnerOfEverything(t *testing.T) {
	for _, all := range []string{".", "./", "/", "**"} {
		p := play(t)
		p.all(begun(1)...)
		p.all(&runevents.WavePlanned{Actor: scout, Wave: 1, Agents: []runevents.WaveAgent{{Letter: "A", Owns: []string{all}}, {Letter: "B", Owns: []string{"b/x.go"}}}})
		require.Equal(t, []string{"gate launch WP-6 deny", "V WP-6 OWNERSHIP-OVERLAP"}, p.all(launched(1)), all)
	}
}

// WP-6: what a plan too large to be compared holds cannot be verified.
func TestPatternsAreBounded(t *testing.T) {
	c := *config(t)
	c.Kept.Patterns = 3
	plan := func(patterns int) []string {
		p := play(t)
		p.c = &c
		var owns []string
		for i := range patterns {
			owns = append(owns, fmt.Sprintf("a%d/*.go", i))
		}
		p.all(begun(1)...)
		p.all(&runevents.WavePlanned{Actor: scout, Wave: 1, Agents: []runevents.WaveAgent{{Letter: "A", Owns: owns}, {Letter: "B", Owns: []string{"b/x.go"}}}})
		return p.all(launched(1))
	}
	require.Empty(t, plan(3))
	require.Equal(t, []string{"gate launch WP-6 deny"}, plan(4))
}
